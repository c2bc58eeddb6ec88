// Output on its way to the emulator, which renders about 10 MB/s: a pane can print three times as fast.
import { concatBytes } from "../bytes.ts";
import type { EmulatorOptions } from "./emulator.ts";
import type { Transcript } from "./transcript.ts";
import { handledLater } from "../promises.ts";

export type PaneSize = Pick<EmulatorOptions, "columns" | "rows">;

/** Bytes, and new sizes of the pane between them. */
interface Batch {
  items: (Uint8Array | PaneSize)[];
  /** Set once the emulator takes the items; later ones are for the next batch. */
  isTaken: boolean;
}

/** Maximum bytes that wait: more than most output has, and seven seconds of the emulator. */
const MAX_WAITING = 64 * 1024 * 1024;
/** Maximum bytes that are joined for one write. */
const WRITE_BYTES = 1 << 20;

/** Sequence that switches between the main and the alternate screen. */
// deno-lint-ignore no-control-regex -- ESC begins it
const SCREEN_SWITCH = /\x1b\[\?(?:47|1047|1049)[hl]/g;

/** Line in the place of output that is missing. CAN ends a sequence that was cut, and would hide the line. */
export const MISSING_OUTPUT: Uint8Array = new TextEncoder().encode(
  "\x18\r\n[output is missing here: it could not be read as fast as it was printed]\r\n",
);

export class EmulatorQueue {
  readonly #opening: Promise<Transcript>;
  readonly #maxWaiting: number;
  /** The batch that is being rendered, and the one that collects what comes meanwhile. */
  readonly #batches: Batch[] = [];
  #bytes = 0;
  #isLossy = false;
  #work: Promise<unknown>;

  constructor(opening: Promise<Transcript>, maxWaiting: number = MAX_WAITING) {
    this.#opening = this.#work = opening;
    this.#maxWaiting = maxWaiting;
    handledLater(opening);
  }

  get isLossy(): boolean {
    return this.#isLossy;
  }

  /** Queues bytes, which it keeps, or a new size. If too many bytes wait, the older half of them is dropped. */
  push(item: Uint8Array | PaneSize): void {
    const last = this.#batches.at(-1);
    if (last?.isTaken === false) last.items.push(item);
    else this.#begin({ items: [item], isTaken: false });
    if (!(item instanceof Uint8Array)) return;
    this.#bytes += item.length;
    if (this.#bytes > this.#maxWaiting) this.#drop();
  }

  /** Resolves when everything pushed so far has taken effect; rejects if the emulator has failed. */
  async flush(): Promise<void> {
    await this.#work;
  }

  #begin(batch: Batch): void {
    this.#batches.push(batch);
    this.#work = this.#work.then(() => this.#render(batch));
    handledLater(this.#work);
  }

  async #render(batch: Batch): Promise<void> {
    const transcript = await this.#opening;
    batch.isTaken = true;
    for (let next = this.#take(batch); next; next = this.#take(batch)) {
      if (next instanceof Uint8Array) await transcript.write(next);
      else transcript.resize(next.columns, next.rows);
    }
    this.#batches.shift();
  }

  /** Takes the next size or bytes from a batch; undefined at its end. */
  #take({ items }: Batch): Uint8Array | PaneSize | undefined {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for (const item of items) {
      if (!(item instanceof Uint8Array) || bytes >= WRITE_BYTES) break;
      chunks.push(item);
      bytes += item.length;
    }
    if (chunks.length === 0) return items.shift();
    items.splice(0, chunks.length);
    this.#bytes -= bytes;
    return concatBytes(chunks);
  }

  /** Replaces the older half of the bytes with a note. */
  #drop(): void {
    const excess = this.#bytes - this.#maxWaiting / 2;
    const dropped: Uint8Array[] = [];
    let bytes = 0;
    let note = MISSING_OUTPUT;
    for (const batch of this.#batches) {
      batch.items = batch.items.flatMap((item) => {
        if (!(item instanceof Uint8Array) || bytes >= excess) return [item];
        dropped.push(item);
        bytes += item.length;
        return bytes >= excess ? [note = noteFor(concatBytes(dropped))] : [];
      });
    }
    this.#bytes += note.length - bytes;
    this.#isLossy = true;
  }
}

/** Returns the note for dropped bytes, with their last switch of screens. The alternate screen would hide the note. */
function noteFor(dropped: Uint8Array): Uint8Array {
  const text = new TextDecoder("latin1").decode(dropped);
  let last = "";
  for (const [sequence] of text.matchAll(SCREEN_SWITCH)) last = sequence;
  const change = new TextEncoder().encode(last === "" ? "" : `\x18${last}`);
  return concatBytes(last.endsWith("h") ? [MISSING_OUTPUT, change] : [change, MISSING_OUTPUT]);
}
