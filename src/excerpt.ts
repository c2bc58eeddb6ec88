// A part of a text, where there is no room for all of it: no character is cut in two, which strict readers of JSON refuse.

const ELLIPSIS_BYTES = 3;

/** The first `max` UTF-16 units of a text, and `…` where that is not all. */
export function excerpt(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, edge(text, max))}…` : text;
}

/** As much of a text as fits into so many bytes of UTF-8, with `…` where that is not all. */
export function excerptBytes(text: string, max: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= max) return text;
  const kept = bytes.subarray(0, characterAt(bytes, Math.max(max - ELLIPSIS_BYTES, 0)));
  return `${new TextDecoder().decode(kept)}…`;
}

/** As `excerpt`, with so much of its end too. */
export function bothEnds(text: string, { first, last }: { first: number; last: number }): string {
  if (text.length <= first + last) return text;
  return `${excerpt(text, first)}${text.slice(edge(text, text.length - last))}`;
}

/** The last place in UTF-8 up to this one that is between two characters; bytes that are no character count as one each. */
export function characterAt(bytes: Uint8Array, at: number): number {
  if (at >= bytes.length) return bytes.length;
  for (let start = at; start >= 0 && at - start < 4; start--) {
    if ((bytes[start]! & 0xc0) === 0x80) continue;
    return characterAfter(bytes, start) > at ? start : at;
  }
  return at;
}

/** Where the character at `start` ends. */
export function characterAfter(bytes: Uint8Array, start: number): number {
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf5 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
  for (let at = 1; at < length; at++) if (((bytes[start + at] ?? 0) & 0xc0) !== 0x80) return start + 1;
  return Math.min(start + length, bytes.length);
}

/** The last place up to this one that is between two characters. */
function edge(text: string, at: number): number {
  const isWithinPair = (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return isWithinPair ? at - 1 : at;
}
