// Writes texts to stdout or stderr, one after the other.
import { delay } from "../../timer.ts";

/** Stdout or stderr. */
export type OutputStream = Pick<typeof Deno.stdout, "write">;

/** Pause before writing again to a full pipe that another process has made non-blocking (ms). */
const FULL_MS = 5;
/** Characters that may be queued before writers have to wait. */
const ROOM = 64 * 1024;
const encoder = new TextEncoder();

export class OutputQueue {
  readonly #stream: OutputStream;
  readonly #onBroken: () => void;
  #written: Promise<void> = Promise.resolve();
  #waiting = 0;
  #taken = 0;
  #isBroken = false;

  /** @param onBroken Called when the stream can't be written; later texts are dropped */
  constructor(stream: OutputStream, onBroken: () => void) {
    this.#stream = stream;
    this.#onBroken = onBroken;
  }

  /** Queues text; settles when there is room for more. */
  async write(text: string): Promise<void> {
    this.#waiting += text.length;
    this.#written = this.#writeAfter(this.#written, text);
    if (this.#waiting > ROOM) await this.#written;
  }

  /** Number of characters that wait for the reader. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Number of characters that the reader has taken so far, in whole texts. */
  get taken(): number {
    return this.#taken;
  }

  /** Settles when everything so far is written, or the stream is broken. */
  get written(): Promise<void> {
    return this.#written;
  }

  async #writeAfter(earlier: Promise<void>, text: string): Promise<void> {
    await earlier;
    try {
      if (!this.#isBroken) await writeWhole(this.#stream, encoder.encode(text));
    } catch {
      this.#isBroken = true;
      this.#onBroken();
    }
    this.#waiting -= text.length;
    this.#taken += text.length;
  }
}

/**
 * Writes without blocking this thread if nobody reads. Settles when all bytes are written; rejects if the reader has
 * closed its end.
 */
export async function writeWhole(stream: OutputStream, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    try {
      at += await stream.write(bytes.subarray(at));
    } catch (error) {
      if (!(error instanceof Deno.errors.WouldBlock)) throw error;
      await delay(FULL_MS);
    }
  }
}
