// Bytes of UTF-8 text: joining and writing them, and cutting them between characters.

const encoder = new TextEncoder();

/** Joins the chunks in a new array. */
export function concatBytes(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Writes all of the bytes to a file, which may take several writes. */
export function writeAllSync(file: Deno.FsFile, bytes: Uint8Array): void {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(file.writeSync(rest));
}

export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

/** Returns the SHA-256 of a text, in hex. */
export async function sha256Of(text: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text))).toHex();
}

/**
 * Returns the text of a file, with its byte order mark.
 * @throws {TypeError} naming the line, if the text is not UTF-8: replacement characters would be written back, or
 * would match nothing
 */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Only valid UTF-8 is the same after decoding and encoding.
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    const wrong = encoder.encode(text).findIndex((byte, at) => byte !== bytes[at]);
    const line = bytes.subarray(0, wrong).reduce((count, byte) => byte === 0x0a ? count + 1 : count, 1);
    throw new TypeError(`line ${line} is not UTF-8; save the file in that encoding`);
  }
}

/** True if every byte is a complete UTF-8 character. */
export function isAscii(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) if ((bytes[at] as number) >= 0x80) return false;
  return true;
}

/** Returns the end of a text, at most `max` bytes of it. */
export function lastBytes(text: string, max: number): string {
  const bytes = encoder.encode(text);
  if (bytes.length <= max) return text;
  return new TextDecoder().decode(bytes.subarray(characterFrom(bytes, bytes.length - max)));
}

/**
 * Length of the longest prefix of `bytes` that does not end inside a UTF-8 character. Bytes that can never become a
 * character count as complete, because a decoder replaces them.
 */
export function wholeCharacters(bytes: Uint8Array): number {
  const end = bytes.length;
  for (let back = 1; back <= 3 && back <= end; back++) {
    const byte = bytes[end - back] as number;
    if (isContinuationByte(byte)) continue;
    return sequenceLength(byte) > back ? end - back : end;
  }
  return end;
}

/** First position from this one on that is between two characters. */
export function characterFrom(bytes: Uint8Array, at: number): number {
  while (isContinuationByte(bytes[at] ?? 0)) at++;
  return at;
}

/** Last position up to this one that is between two characters; a byte outside characters counts as one. */
export function characterAt(bytes: Uint8Array, at: number): number {
  if (at >= bytes.length) return bytes.length;
  for (let start = at; start >= 0 && at - start < 4; start--) {
    if (isContinuationByte(bytes[start]!)) continue;
    return characterAfter(bytes, start) > at ? start : at;
  }
  return at;
}

/** End of the character at `start`. */
export function characterAfter(bytes: Uint8Array, start: number): number {
  const length = sequenceLength(bytes[start] ?? 0);
  for (let at = 1; at < length; at++) if (!isContinuationByte(bytes[start + at] ?? 0)) return start + 1;
  return Math.min(start + length, bytes.length);
}

/** True for a byte of a character other than its first. */
export function isContinuationByte(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0 && lead < 0xf5) return 4;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  return 1;
}
