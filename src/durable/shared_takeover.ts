// Takeovers that run while calls wait at one socket: the calls share them, however many wait.
import { bestEffort, settled } from "../promises.ts";
import { within } from "../timer.ts";

/** Interval (ms) at which waiting calls take over from dead processes. */
export const TAKE_OVER_MS = 1000;

/** Longest time (ms) for which a takeover holds up a call: as long as its tmux server has to answer. */
const FIRST_MS = 5000;

export class SharedTakeover {
  readonly #takeOver: (cursors: ReadonlySet<string>) => Promise<void>;
  readonly #waits: Set<{ cursor: string | undefined }> = new Set();
  #timer: ReturnType<typeof setInterval> | undefined;
  #running: Promise<void> | undefined;
  /** One that has not begun: calls that come before it see all that it takes over. */
  #next: Promise<void> | undefined;

  /** `takeOver`: called with the cursors that the waiting calls have. */
  constructor(takeOver: (cursors: ReadonlySet<string>) => Promise<void>) {
    this.#takeOver = takeOver;
  }

  /** True if no call waits. */
  get isIdle(): boolean {
    return this.#waits.size === 0;
  }

  /** Takes over once before `wait`, and each second during it. */
  async during<T>(wait: () => T | Promise<T>, cursor: string | undefined): Promise<T> {
    const own = { cursor };
    this.#waits.add(own);
    this.#timer ??= setInterval(() => this.#running ?? this.#soon(), TAKE_OVER_MS);
    try {
      await within(this.#soon(), { ms: FIRST_MS });
      return await wait();
    } finally {
      this.#waits.delete(own);
      if (this.isIdle) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
    }
  }

  /** Takes over, but not while an earlier takeover runs: it may have read the folder of records before this call. */
  #soon(): Promise<void> {
    return this.#next ??= settled(this.#running).then(() => {
      this.#next = undefined;
      const cursors = [...this.#waits].map(({ cursor }) => cursor).filter((cursor) => cursor !== undefined);
      return this.#running = bestEffort(this.#takeOver(new Set(cursors))).finally(() =>
        this.#running = undefined
      );
    });
  }
}
