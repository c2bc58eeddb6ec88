// Ends this process when its main thread hangs: that thread handles signals, and the client may be gone.
import type { Libc } from "../ffi/libc.ts";

/** Seconds of CPU time that may pass without the main thread coming back to its event loop. */
const PATIENCE_SECONDS = 60;
/** The time of all threads counts: twelve busy workers use a minute in five seconds. */
const REWINDS_IN_PATIENCE = 20;

/**
 * Keeps resetting a timer of CPU time. When it expires, the kernel ends the process with SIGVTALRM: a library
 * that loops over foreign bytes burnt a core for 13 minutes after its client had gone. Time asleep does not count.
 */
export class Watchdog implements Disposable {
  readonly #libc: Pick<Libc, "endAfter">;
  readonly #rewinding: ReturnType<typeof setInterval>;

  constructor(libc: Pick<Libc, "endAfter">, seconds: number = PATIENCE_SECONDS) {
    this.#libc = libc;
    const rewind = (): void => libc.endAfter(seconds);
    rewind();
    this.#rewinding = setInterval(rewind, seconds * 1000 / REWINDS_IN_PATIENCE);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#rewinding);
    this.#libc.endAfter(0);
  }
}
