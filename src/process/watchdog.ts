// Ends this process if its main thread hangs: that thread handles signals, and the client may be gone.
import type { Libc } from "../ffi/libc.ts";

/** CPU time (s) that may pass without the main thread returning to its event loop. */
const PATIENCE_SECONDS = 60;
/** Number of resets in that time: all threads' CPU time counts, and twelve busy workers use a minute in 5 seconds. */
const REWINDS_IN_PATIENCE = 20;

/**
 * Timer of CPU time that is reset again and again. When it expires, the kernel ends the process with SIGVTALRM: a
 * library that looped over foreign bytes used a whole core for 13 minutes after its client had gone. Time asleep does
 * not count.
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
