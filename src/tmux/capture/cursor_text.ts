// A capture cursor as the short text that callers pass on: the pane's id, a colon, then bytes in base64url.
import { AppError } from "../../errors.ts";
import { excerpt } from "../../excerpt.ts";

export interface Cursor {
  paneId: string;
  /** Identity of pane and server: hash of the server's pid and start time and the pane's pid. */
  identity: bigint;
  /** First row that was not complete: the line of the terminal's cursor, or the next line of a page. */
  row: number;
  width: number;
  height: number;
  /** Hashes of the lines above that row, nearest first. */
  above: number[];
  /** Lines that could not be rewritten because they were in the history; they end `up` rows above `row`. */
  witness?: { up: number; count: number; hash: number };
  /** Hashes of the lines from `row` on that were returned, as they were then. */
  tail: number[];
  /** Number of characters of the first line of `tail` that were returned, if it was cut. */
  cut?: number;
  /** Hash of all that the pane retained then, for a place that its lines alone don't tell. */
  moment?: number;
}

const VERSION = 3;
const CHECKSUM_BYTES = 4;
const CURSOR = /^(%\d+):([A-Za-z0-9_-]+)$/;

/** Returns a cursor in the form that callers get: `%5:` and base64url. */
export function formatCursor(cursor: Cursor): string {
  const { identity, row, width, height, above, witness, tail, cut, moment } = cursor;
  const bytes = new ByteWriter();
  bytes.fixed(VERSION, 1);
  bytes.fixed(Number(identity >> 32n), 2);
  bytes.fixed(Number(identity & 0xffffffffn), 4);
  bytes.count(row);
  bytes.count(width);
  bytes.count(height);
  bytes.count(witness?.count ?? 0);
  if (witness) {
    bytes.count(witness.up);
    bytes.fixed(witness.hash, 4);
  }
  bytes.count(cut === undefined ? 0 : cut + 1);
  bytes.count(moment === undefined ? 0 : 1);
  if (moment !== undefined) bytes.fixed(moment, 4);
  bytes.count(above.length);
  for (const hash of above) bytes.fixed(hash, 2);
  bytes.count(tail.length);
  tail.forEach((hash, index) => bytes.fixed(hash, index === 0 ? 4 : 2));
  bytes.fixed(checksum(cursor.paneId, bytes.bytes), CHECKSUM_BYTES);
  const text = new Uint8Array(bytes.bytes).toBase64({ alphabet: "base64url", omitPadding: true });
  return `${cursor.paneId}:${text}`;
}

/** @throws {AppError} `invalid-argument` */
export function parseCursor(text: string): Cursor {
  const match = CURSOR.exec(text);
  if (!match) throw notACursor(text);
  try {
    return read(match[1]!, decode(match[2]!));
  } catch {
    throw notACursor(text);
  }
}

/** Decodes strictly: otherwise spare bits of the last character could differ without being noticed. */
function decode(text: string): Uint8Array {
  const padded = text.padEnd(Math.ceil(text.length / 4) * 4, "=");
  return Uint8Array.fromBase64(padded, { alphabet: "base64url", lastChunkHandling: "strict" });
}

/** Checksum of a cursor: without it, a cursor with one wrong character would mean another place. */
function checksum(paneId: string, bytes: ArrayLike<number>): number {
  return hash32(paneId + Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** FNV-1a hash over UTF-16 units. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function read(paneId: string, all: Uint8Array): Cursor {
  const content = all.subarray(0, -CHECKSUM_BYTES);
  const sum = new ByteReader(all.subarray(-CHECKSUM_BYTES)).fixed(CHECKSUM_BYTES);
  if (sum !== checksum(paneId, content)) throw new RangeError("Another checksum");
  const bytes = new ByteReader(content);
  if (bytes.fixed(1) !== VERSION) throw new RangeError("Another version");
  const identity = BigInt(bytes.fixed(2)) << 32n | BigInt(bytes.fixed(4));
  const row = bytes.count();
  const width = bytes.count();
  const height = bytes.count();
  const count = bytes.count();
  const witness = count === 0 ? undefined : { count, up: bytes.count(), hash: bytes.fixed(4) };
  const cut = bytes.count();
  const moment = bytes.count() === 0 ? undefined : bytes.fixed(4);
  const above = Array.from({ length: bytes.size(2) }, () => bytes.fixed(2));
  const tail = Array.from({ length: bytes.size(2) }, (_, index) => bytes.fixed(index === 0 ? 4 : 2));
  bytes.end();
  return {
    paneId,
    identity,
    row,
    width,
    height,
    above,
    tail,
    ...(witness ? { witness } : {}),
    ...(cut === 0 ? {} : { cut: cut - 1 }),
    ...(moment === undefined ? {} : { moment }),
  };
}

function notACursor(text: string): AppError {
  const shown = excerpt(text, 40);
  return new AppError("invalid-argument", `Cannot read cursor "${shown}": capture-since did not return it`, {
    hint: "Call capture-since with paneId for a new cursor",
  });
}

class ByteWriter {
  readonly bytes: number[] = [];

  fixed(value: number, size: number): void {
    for (let shift = (size - 1) * 8; shift >= 0; shift -= 8) this.bytes.push(value >>> shift & 0xff);
  }

  /** Writes seven bits per byte, the low ones first; the high bit says that more follow. */
  count(value: number): void {
    for (; value >= 0x80; value = Math.floor(value / 0x80)) this.bytes.push(value % 0x80 + 0x80);
    this.bytes.push(value);
  }
}

class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  fixed(size: number): number {
    let value = 0;
    for (let i = 0; i < size; i++) value = value * 0x100 + this.#next();
    return value;
  }

  count(): number {
    let value = 0;
    for (let unit = 1;; unit *= 0x80) {
      const byte = this.#next();
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
      if (unit > 2 ** 40) throw new RangeError("Too large");
    }
  }

  /** Reads the count of items of at least this many bytes each, which must still be there. */
  size(each: number): number {
    const count = this.count();
    if (count * each > this.#bytes.length - this.#at) throw new RangeError("Too short");
    return count;
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new RangeError("Too long");
  }

  #next(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new RangeError("Too short");
    return byte;
  }
}
