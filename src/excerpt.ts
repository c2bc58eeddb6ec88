// Excerpts of a text that is too long. No character is cut in two: strict JSON parsers refuse half of one.
import { characterAt } from "./bytes.ts";

const ELLIPSIS_BYTES = 3;

/** The first `max` UTF-16 units of a text, and `…` where that is not all. */
export function excerpt(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, edge(text, max))}…` : text;
}

/** The beginning of a text that fits into this many bytes of UTF-8, with `…` where that is not all. */
export function excerptBytes(text: string, max: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= max) return text;
  const kept = bytes.subarray(0, characterAt(bytes, Math.max(max - ELLIPSIS_BYTES, 0)));
  return `${new TextDecoder().decode(kept)}…`;
}

/** As `excerpt`, with part of its end too. */
export function bothEnds(text: string, { first, last }: { first: number; last: number }): string {
  if (text.length <= first + last) return text;
  return `${excerpt(text, first)}${text.slice(edge(text, text.length - last))}`;
}

/** The last place up to this one that is between two characters. */
function edge(text: string, at: number): number {
  const isWithinPair = (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return isWithinPair ? at - 1 : at;
}
