// Reports the end of a process through the worker's single poll(2), instead of polling each process.
import type { Ending } from "../../src/process/ending.ts";
import type { ExitWatch } from "../../src/process/probe.ts";
import type { Followed, Poller } from "../../src/ffi/poller.ts";

/** Notifier of one process's end. It owns the exit watch that it is created with, and closes it. */
export class ExitNotifier {
  readonly #exit: ExitWatch;
  readonly #poller: Poller;
  /** Set until the end is reported; undefined if `poll` has to be called. */
  #followed: Followed | undefined;

  /** Calls `ended` at the process's end if the kernel has a descriptor for that; if not, `poll` has to be called. */
  constructor(exit: ExitWatch, poller: Poller, ended: () => void) {
    this.#exit = exit;
    this.#poller = poller;
    if (exit.fd === undefined) return;
    const followed: Followed = { fd: exit.fd, wantsRoom: () => false, ready: () => this.#report(ended) };
    if (poller.follow(followed)) this.#followed = followed;
  }

  /** True if the end will be reported without polling. */
  get notifies(): boolean {
    return this.#followed !== undefined;
  }

  /** True if the process has ended; a later `poll` may show more about how it ended. */
  get ended(): boolean {
    return !this.notifies && this.#exit.poll() !== undefined;
  }

  poll(): Ending | undefined {
    return this.#exit.poll();
  }

  close(): void {
    this.#leave();
    this.#exit.close();
  }

  #report(ended: () => void): number {
    // From now on the descriptor can be read at any time.
    this.#leave();
    ended();
    return 0;
  }

  #leave(): void {
    if (this.#followed) this.#poller.leave(this.#followed);
    this.#followed = undefined;
  }
}
