// Excerpts of text that is too long. Surrogate pairs are never split, because strict JSON parsers refuse half of one.
import { characterAt } from "./bytes.ts";

const ELLIPSIS_BYTES = 3;

/** Returns the first `max` UTF-16 units of a text, followed by `…` if that is not all. */
export function excerpt(text: string, max: number): string {
  return text.length > max ? `${beginningOf(text, max)}…` : text;
}

/** Returns at most the first `max` UTF-16 units of a text. */
export function beginningOf(text: string, max: number): string {
  return text.slice(0, edge(text, max));
}

/** Returns at most the last `max` UTF-16 units of a text. */
export function endOf(text: string, max: number): string {
  const at = Math.max(text.length - max, 0);
  return text.slice(edge(text, at) < at ? at + 1 : at);
}

/** Returns the beginning of a text that fits into this many UTF-8 bytes, with `…` if that is not all. */
export function excerptBytes(text: string, max: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= max) return text;
  const kept = bytes.subarray(0, characterAt(bytes, Math.max(max - ELLIPSIS_BYTES, 0)));
  return `${new TextDecoder().decode(kept)}…`;
}

/** Does the same, but also keeps part of the end. */
export function bothEnds(text: string, { first, last }: { first: number; last: number }): string {
  if (text.length <= first + last) return text;
  return `${excerpt(text, first)}${text.slice(edge(text, text.length - last))}`;
}

/** Last position up to this one that is between two characters. */
function edge(text: string, at: number): number {
  const isWithinPair = (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return isWithinPair ? at - 1 : at;
}
