// Writes messages to the client on stdout, one after the other.
import { writeToStdout } from "./stdout.ts";

/** Characters that may be queued for a client before writers have to wait. */
const ROOM = 64 * 1024;
const encoder = new TextEncoder();

export class ClientOutput {
  readonly #onBroken: () => void;
  #written: Promise<void> = Promise.resolve();
  #waiting = 0;
  #taken = 0;
  #isBroken = false;

  /**
   * @param onBroken Called when stdout can't be written; later messages are dropped
   */
  constructor(onBroken: () => void) {
    this.#onBroken = onBroken;
  }

  /** Queues text; settles when there is room for more. */
  async write(text: string): Promise<void> {
    this.#waiting += text.length;
    this.#written = this.#writeAfter(this.#written, text);
    if (this.#waiting > ROOM) await this.#written;
  }

  /** Number of characters queued for the client. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Number of characters that the client has read so far, in whole messages. */
  get taken(): number {
    return this.#taken;
  }

  /** Settles when everything so far is written, or stdout is broken. */
  get written(): Promise<void> {
    return this.#written;
  }

  async #writeAfter(earlier: Promise<void>, text: string): Promise<void> {
    await earlier;
    try {
      if (!this.#isBroken) await writeToStdout(encoder.encode(text));
    } catch {
      this.#isBroken = true;
      this.#onBroken();
    }
    this.#waiting -= text.length;
    this.#taken += text.length;
  }
}
