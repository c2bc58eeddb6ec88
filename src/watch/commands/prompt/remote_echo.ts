// Time limits for the echo of a shell behind a link, which looks the same from here whether it is slow or ignores keys.

/** Time (ms) within which a link is expected to bring an echo, and no key has ever been shown. */
const FIRST_MS = 1500;
/** Least time (ms) for an echo once one was seen. */
const LEAST_MS = 600;
/** Least time (ms) for which the screen is unchanged once it shows the final effect of keys. */
const LEAST_REST_MS = 60;

export class RemoteEcho {
  /** Longest time (ms) from keys to their effect; undefined until they had one. */
  #echoMs: number | undefined;
  /** Time of the keys whose echo is awaited; keys that show nothing may be late, until any have shown. */
  #pressedAt: number | undefined;

  /** Time (ms) after which keys have no effect. */
  get patienceMs(): number {
    return this.#echoMs === undefined ? FIRST_MS : Math.max(LEAST_MS, 2 * this.#echoMs);
  }

  /** Time (ms) without a change after which keys have had all of their effect: as long as a lost packet may take. */
  get restMs(): number {
    return this.#echoMs === undefined ? LEAST_MS : Math.max(LEAST_REST_MS, this.#echoMs);
  }

  notePressed(): void {
    if (this.#echoMs !== undefined || this.#pressedAt === undefined) this.#pressedAt = performance.now();
  }

  /** Notes that the keys have had the expected effect; any other may be that of a person's keys. */
  noteShown(): void {
    if (this.#pressedAt === undefined) return;
    this.#echoMs = Math.max(this.#echoMs ?? 0, performance.now() - this.#pressedAt);
    this.#pressedAt = undefined;
  }
}
