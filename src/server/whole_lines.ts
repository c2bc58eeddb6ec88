// Splits stdin into whole lines, and leaves out those that are longer than a message may be.
import { Buffer } from "node:buffer";
import { Transform } from "node:stream";

/** A line that was not kept. */
export interface LongLine {
  readonly bytes: number;
  /** The id of the request it is, where it stands at an end of it. */
  readonly id: string | number | null;
}

export interface LineLimits {
  readonly maxBytes: number;
  onLong(line: LongLine): void;
}

const NEWLINE = 10;
/** Bytes of a long line that are kept of each of its ends, to find its id. */
const KEPT = 400;
const TEXT = `"(?:[^"\\\\]|\\\\.)*"`;
const ID = `"id"\\s*:\\s*(-?\\d+|${TEXT})`;
const FIRST = new RegExp(`^\\s*\\{(?:\\s*"(?:jsonrpc|method)"\\s*:\\s*${TEXT}\\s*,)*\\s*${ID}\\s*,`);
const LAST = new RegExp(`,\\s*${ID}(?:\\s*,\\s*"(?:jsonrpc|method)"\\s*:\\s*${TEXT})*\\s*\\}\\s*$`);

/** One whole line at a time: the SDK copies all it has for every chunk it gets. The last line needs no end. */
export function wholeLines(limits: LineLimits): Transform {
  let line = new LineBuffer(limits.maxBytes);
  const end = (): Uint8Array | undefined => {
    const ended = line;
    line = new LineBuffer(limits.maxBytes);
    if (ended.isLong) limits.onLong({ bytes: ended.bytes, id: ended.id });
    return ended.isLong ? undefined : ended.whole;
  };
  return new Transform({
    readableObjectMode: true,
    transform(chunk: Uint8Array, _encoding, done) {
      let start = 0;
      for (let at; (at = chunk.indexOf(NEWLINE, start)) >= 0; start = at + 1) {
        line.add(chunk.subarray(start, at + 1));
        const whole = end();
        if (whole !== undefined) this.push(whole);
      }
      line.add(chunk.subarray(start));
      done();
    },
    flush(done) {
      if (line.bytes === 0) return done();
      line.add(Uint8Array.of(NEWLINE));
      const whole = end();
      if (whole !== undefined) this.push(whole);
      done();
    },
  });
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
    return Buffer.concat(this.#held);
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
      const held = Buffer.concat(this.#held.splice(0));
      this.#first = decode(Buffer.concat([held.subarray(0, KEPT), chunk.subarray(0, KEPT)]));
      this.#last = held.subarray(-KEPT);
    }
    this.#last = Buffer.concat([this.#last, chunk.subarray(-KEPT)]).subarray(-KEPT);
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
