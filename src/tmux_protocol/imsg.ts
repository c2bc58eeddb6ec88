// Framing and message types of the protocol that a tmux client and its server speak over their socket.

/** Protocol version in every message; either side refuses others. tmux 1.8 or older used less than 8. */
const PROTOCOL_VERSION = 8;
/** Largest message that tmux accepts and sends (bytes), header included. */
export const MAX_MESSAGE_BYTES = 16384;
export const HEADER_BYTES = 16;

/** Message types that a command client needs, from tmux-protocol.h of 3.2 to 3.7. */
export const MESSAGE = {
  version: 12,
  identifyTerm: 101,
  identifyTtyName: 102,
  identifyStdin: 104,
  identifyEnviron: 105,
  identifyDone: 106,
  identifyClientPid: 107,
  identifyCwd: 108,
  identifyFeatures: 109,
  identifyStdout: 110,
  identifyLongFlags: 111,
  command: 200,
  detach: 201,
  detachKill: 202,
  exit: 203,
  exited: 204,
  exiting: 205,
  shutdown: 210,
  flags: 218,
  readOpen: 300,
  read: 301,
  readDone: 302,
  writeOpen: 303,
  write: 304,
  writeReady: 305,
  writeClose: 306,
  readCancel: 307,
} as const;

/** The other side sent something that no known tmux sends. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

export interface Message {
  type: number;
  /** Valid until the reader is filled again. */
  payload: Uint8Array;
}

const LITTLE_ENDIAN = true;
const encoder = new TextEncoder();

/** Encodes a message. Parts of the payload, in order: numbers are 32-bit integers, strings end with a NUL. */
export function encodeMessage(
  type: number,
  ...parts: readonly (number | string | Uint8Array)[]
): Uint8Array<ArrayBuffer> {
  const pieces = parts.map(encodePart);
  const size = pieces.reduce((sum, piece) => sum + piece.length, HEADER_BYTES);
  const message = new Uint8Array(size);
  const header = new DataView(message.buffer);
  header.setUint32(0, type, LITTLE_ENDIAN);
  // Up to 3.5: 16 bits of length and 16 bits of flags; later one 32-bit length. The bytes are the same if no
  // descriptor is passed.
  header.setUint32(4, size, LITTLE_ENDIAN);
  header.setUint32(8, PROTOCOL_VERSION, LITTLE_ENDIAN);
  header.setInt32(12, -1, LITTLE_ENDIAN);
  let at = HEADER_BYTES;
  for (const piece of pieces) {
    message.set(piece, at);
    at += piece.length;
  }
  return message;
}

/**
 * Encodes a message without a payload, with which a descriptor is passed. tmux up to 3.5 marks that with a flag
 * (imsg.h, `IMSGF_HASFD`), later versions with the highest bit of the length (`IMSG_FD_MARK`).
 */
export function encodePassing(type: number, mark: "flag" | "length"): Uint8Array<ArrayBuffer> {
  const message = encodeMessage(type);
  message[mark === "flag" ? 6 : 7] = mark === "flag" ? 1 : 0x80;
  return message;
}

function encodePart(part: number | string | Uint8Array): Uint8Array {
  if (typeof part === "string") return encoder.encode(`${part}\0`);
  if (typeof part !== "number") return part;
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setInt32(0, part, LITTLE_ENDIAN);
  return bytes;
}

/**
 * Returns the 32-bit integers that a payload begins with.
 * @throws {ProtocolError} if it is shorter
 */
export function decodeIntegers(payload: Uint8Array, count: number): number[] {
  if (payload.length < count * 4) {
    throw new ProtocolError(`A payload of ${payload.length} bytes is too short`);
  }
  const view = new DataView(payload.buffer, payload.byteOffset);
  return Array.from({ length: count }, (_, index) => view.getInt32(index * 4, LITTLE_ENDIAN));
}

/** Splits received bytes into messages without copying: fill `space`, call `filled`, then take what `next` returns. */
export class MessageReader {
  readonly #buffer = new Uint8Array(4 * MAX_MESSAGE_BYTES);
  readonly #view = new DataView(this.#buffer.buffer);
  #start = 0;
  #end = 0;

  /** Buffer for the next bytes; it is never empty once every complete message has been taken. */
  get space(): Uint8Array<ArrayBuffer> {
    if (this.#start > 0) {
      this.#buffer.copyWithin(0, this.#start, this.#end);
      this.#end -= this.#start;
      this.#start = 0;
    }
    return this.#buffer.subarray(this.#end);
  }

  filled(count: number): void {
    this.#end += count;
  }

  /** @throws {ProtocolError} if the bytes are no message of this protocol */
  next(): Message | undefined {
    const available = this.#end - this.#start;
    if (available < HEADER_BYTES) return undefined;
    const size = this.#view.getUint32(this.#start + 4, LITTLE_ENDIAN);
    if (size < HEADER_BYTES || size > MAX_MESSAGE_BYTES) {
      throw new ProtocolError(`A message of ${size} bytes`);
    }
    if (available < size) return undefined;
    const start = this.#start;
    this.#start += size;
    return {
      type: this.#view.getUint32(start, LITTLE_ENDIAN),
      payload: this.#buffer.subarray(start + HEADER_BYTES, start + size),
    };
  }
}
