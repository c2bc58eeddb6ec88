// Reports the end of a process through the worker's one poll(2), instead of polling each process.
import type { Ending } from "../src/process/ending.ts";
import type { ExitWatch } from "../src/process/probe.ts";
import type { Followed, Poller } from "../src/ffi/poller.ts";

/** Closes the watch it was made of. */
export class ExitNotifier {
  readonly #exit: ExitWatch;
  readonly #poller: Poller;
  /** Set until its end is reported; undefined where it has to be asked for. */
  #followed: Followed | undefined;

  /** Calls `ended` at the process's end, where the kernel has a descriptor for that; else it is asked each time. */
  constructor(exit: ExitWatch, poller: Poller, ended: () => void) {
    this.#exit = exit;
    this.#poller = poller;
    if (exit.fd === undefined) return;
    const followed: Followed = { fd: exit.fd, wantsRoom: () => false, ready: () => this.#report(ended) };
    if (poller.follow(followed)) this.#followed = followed;
  }

  /** True if its end will be reported without asking. */
  get notifies(): boolean {
    return this.#followed !== undefined;
  }

  /** True if its end has been reported; a later question may show more about how it ended. */
  get ended(): boolean {
    return !this.notifies && this.#exit.poll() !== undefined;
  }

  /** As the watch's own. */
  poll(): Ending | undefined {
    return this.#exit.poll();
  }

  close(): void {
    this.#leave();
    this.#exit.close();
  }

  #report(ended: () => void): number {
    // The descriptor can be read from now on.
    this.#leave();
    ended();
    return 0;
  }

  #leave(): void {
    if (this.#followed) this.#poller.leave(this.#followed);
    this.#followed = undefined;
  }
}
