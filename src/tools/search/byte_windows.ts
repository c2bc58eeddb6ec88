// Splits a long run of bytes into pieces, each with enough bytes before and after it to decide about matches
// that begin in it.
import { concatBytes } from "../../bytes.ts";

/** Longest match, and longest distance to the beginning of a line, that a window always contains (bytes). */
export const REACH = 64 * 1024;
const STEP = 64 * 1024;

export interface ByteWindow {
  bytes: Uint8Array;
  /** Offset of `bytes` in the whole. */
  base: number;
  /** Beginning of the whole range, also in a search that continues another. */
  begin: number;
  /** Matches that begin in `[start, end)` of the whole belong to this window. */
  start: number;
  end: number;
}

export interface WindowOptions {
  begin: number;
  /** Matches that begin in `[from, to)` are searched for. */
  from: number;
  to: number;
  /** Bytes past a piece that must be available in addition to `REACH`. */
  context: number;
}

/** Yields windows over `[from, to)` of `source`. It holds one window at a time and stops reading after the last. */
export async function* byteWindows(
  source: AsyncIterable<Uint8Array>,
  { begin, from, to, context }: WindowOptions,
): AsyncGenerator<ByteWindow> {
  const reach = REACH + context;
  const held: Uint8Array[] = [];
  let base = 0;
  let size = 0;
  let start = from;
  const take = (): ByteWindow => {
    const whole = held.length === 1 ? held[0]! : concatBytes(held);
    const end = Math.min(start + STEP, to, base + size);
    const window = { bytes: whole.subarray(0, end + reach - base), base, begin, start, end };
    const keep = Math.max(0, Math.min(end - reach - base, size));
    held.splice(0, held.length, whole.subarray(keep));
    base += keep;
    size -= keep;
    start = end;
    return window;
  };
  for await (const chunk of source) {
    // Bytes before the first window aren't kept.
    const unused = size === 0 ? Math.max(0, Math.min(chunk.length, from - reach - base)) : 0;
    base += unused;
    held.push(chunk.subarray(unused));
    size += chunk.length - unused;
    while (start < to && base + size >= Math.min(start + STEP, to) + reach) yield take();
    if (start >= to) return;
  }
  while (start < to && start < base + size) yield take();
}
