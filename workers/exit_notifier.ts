// Reports the end of a process through the worker's one poll(2), so that nobody asks for it again and again.
import type { Ending } from "../src/process/ending.ts";
import type { ExitWatch } from "../src/process/probe.ts";
import type { Followed, Poller } from "../src/ffi/poller.ts";

/** Closes the watch it was made of. */
export class ExitNotifier {
  readonly #exit: ExitWatch;
  readonly #poller: Poller;
  readonly #heard: Followed | undefined;
  #silent = false;

  /** Calls `ended` when the process has, where the kernel has a descriptor for that; else it is asked each time. */
  constructor(exit: ExitWatch, poller: Poller, ended: () => void) {
    this.#exit = exit;
    this.#poller = poller;
    if (exit.fd === undefined) return;
    this.#heard = { fd: exit.fd, wantsRoom: () => false, ready: () => this.#hear(ended) };
    this.#silent = poller.follow(this.#heard);
  }

  /** True if its end is going to be reported: nobody need ask. */
  get notifies(): boolean {
    return this.#silent;
  }

  /** True if it has ended, as far as that was reported; whoever asks later may learn more of how. */
  get ended(): boolean {
    return !this.#silent && this.#exit.poll() !== undefined;
  }

  /** As the watch's own. */
  poll(): Ending | undefined {
    return this.#exit.poll();
  }

  close(): void {
    this.#leave();
    this.#exit.close();
  }

  #hear(ended: () => void): number {
    // The descriptor can be read from now on.
    this.#leave();
    ended();
    return 0;
  }

  #leave(): void {
    if (this.#silent && this.#heard) this.#poller.leave(this.#heard);
    this.#silent = false;
  }
}
