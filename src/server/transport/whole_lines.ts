// Splits stdin into whole lines and drops lines that are longer than a message may be.
import { concatBytes } from "../../bytes.ts";

/** A line that was too long to keep. */
export interface LongLine {
  readonly bytes: number;
  /** Id of the request, if it is near one end of the line. */
  readonly id: string | number | null;
}

export interface LineLimits {
  readonly maxBytes: number;
  onLong(line: LongLine): void;
}

const NEWLINE = 10;
/** Bytes kept from each end of a long line, to find its id. */
const KEPT = 400;
const TEXT = `"(?:[^"\\\\]|\\\\.)*"`;
const ID = `"id"\\s*:\\s*(-?\\d+|${TEXT})`;
const FIRST = new RegExp(`^\\s*\\{(?:\\s*"(?:jsonrpc|method)"\\s*:\\s*${TEXT}\\s*,)*\\s*${ID}\\s*,`);
const LAST = new RegExp(`,\\s*${ID}(?:\\s*,\\s*"(?:jsonrpc|method)"\\s*:\\s*${TEXT})*\\s*\\}\\s*$`);

/** Splits a stream of chunks into lines. */
export class WholeLines {
  readonly #limits: LineLimits;
  #line: LineBuffer;

  constructor(limits: LineLimits) {
    this.#limits = limits;
    this.#line = new LineBuffer(limits.maxBytes);
  }

  /** Takes a chunk, which must not be changed later. Returns the lines that end in it, without newlines. */
  add(chunk: Uint8Array): Uint8Array[] {
    const lines: Uint8Array[] = [];
    let start = 0;
    for (let at; (at = chunk.indexOf(NEWLINE, start)) >= 0; start = at + 1) {
      this.#line.add(chunk.subarray(start, at));
      lines.push(...this.#endLine());
    }
    this.#line.add(chunk.subarray(start));
    return lines;
  }

  /** Returns the last line, which needs no newline. */
  end(): Uint8Array[] {
    return this.#line.bytes === 0 ? [] : this.#endLine();
  }

  /** Returns the line, unless it is too long. */
  #endLine(): Uint8Array[] {
    const { isLong, bytes, id, whole } = this.#line;
    this.#line = new LineBuffer(this.#limits.maxBytes);
    if (!isLong) return [whole];
    this.#limits.onLong({ bytes, id });
    return [];
  }
}

class LineBuffer {
  readonly #maxBytes: number;
  #held: Uint8Array[] = [];
  #first = "";
  #last: Uint8Array = new Uint8Array();
  bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isLong(): boolean {
    return this.bytes > this.#maxBytes;
  }

  get whole(): Uint8Array {
    return concatBytes(this.#held);
  }

  get id(): string | number | null {
    const found = FIRST.exec(this.#first)?.[1] ?? LAST.exec(decode(this.#last))?.[1];
    return found === undefined ? null : JSON.parse(found);
  }

  add(chunk: Uint8Array): void {
    const wasLong = this.isLong;
    this.bytes += chunk.length;
    if (!this.isLong) {
      this.#held.push(chunk);
      return;
    }
    if (!wasLong) {
      const held = concatBytes(this.#held.splice(0));
      this.#first = decode(concatBytes([held.subarray(0, KEPT), chunk.subarray(0, KEPT)]));
      this.#last = held.subarray(-KEPT);
    }
    this.#last = concatBytes([this.#last, chunk.subarray(-KEPT)]).subarray(-KEPT);
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
