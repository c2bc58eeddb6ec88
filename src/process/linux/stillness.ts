// Linux: whether any of some threads has run since it was last asked, for a microsecond each.

import type { Libc } from "../libc.ts";

interface Thread {
  readonly id: number;
  /** Its `schedstat`: time run, time waited, times put on a processor. */
  readonly fd: number;
  seen: Uint8Array;
}

/** A descriptor each is held open. */
const MAX_THREADS = 32;
/** What a kernel writes that does not count. */
const UNCOUNTED = "0 0 0\n".length;

/** Holds descriptors until closed. */
export class Stillness {
  readonly #libc: Libc;
  readonly #buffer = new Uint8Array(64);
  #threads: readonly Thread[] = [];

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  /** Watches these threads, and no others any more; none when they are too many or the kernel hides them. */
  watch(ids: readonly number[]): void {
    this.close();
    if (ids.length > MAX_THREADS) return;
    this.#threads = ids.map((id) => ({
      id,
      fd: this.#libc.open(`/proc/${id}/schedstat`),
      seen: new Uint8Array(),
    }));
    if (this.#threads.some(({ fd }) => fd < 0)) this.close();
    else this.check();
  }

  covers(ids: readonly number[]): boolean {
    const threads = this.#threads;
    return threads.length > 0 && threads.length === ids.length &&
      threads.every(({ id }, index) => id === ids[index]);
  }

  /** Whether none of them has run since the last call, as far as can be known. */
  check(): boolean {
    let still = this.#threads.length > 0;
    for (const thread of this.#threads) still = !this.#hasRun(thread) && still;
    return still;
  }

  close(): void {
    for (const { fd } of this.#threads) if (fd >= 0) this.#libc.close(fd);
    this.#threads = [];
  }

  #hasRun(thread: Thread): boolean {
    const length = this.#libc.readAt(thread.fd, this.#buffer, 0n);
    if (length <= UNCOUNTED) return true;
    const { seen } = thread;
    let same = length === seen.length;
    for (let at = 0; same && at < length; at++) same = seen[at] === this.#buffer[at];
    if (!same) thread.seen = this.#buffer.slice(0, length);
    return !same;
  }
}
