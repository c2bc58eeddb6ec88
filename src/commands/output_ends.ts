// Beginning and end of an output that does not fit into a result, with notes on what is left out.
import { byteLength } from "../bytes.ts";
import type { LineSlice, MemoryLines } from "../terminal/memory_lines.ts";

export interface OutputLimit {
  maxLines: number;
  /** UTF-8 bytes. */
  maxBytes: number;
  /** How to read more of a line that is cut, if a larger `maxBytes` changes nothing. */
  more?: string;
}

const LARGER = "a larger maxBytes holds more of it";

/** Text of both ends; `next` is the number of the first omitted line, if any. */
export interface OutputEnds {
  text: string;
  isCut: boolean;
  next?: number;
}

/** Returns the first quarter of the allowance and the last three; a line between them says what is left out. */
export function readEnds(lines: MemoryLines, { maxLines, maxBytes, more }: OutputLimit): OutputEnds {
  if (lines.lines <= maxLines && lines.bytes <= maxBytes) {
    return { text: lines.read(0, { lines: maxLines, bytes: maxBytes }).text, isCut: false };
  }
  const first = { lines: Math.floor(maxLines / 4), bytes: Math.floor(maxBytes / 4) };
  const last = { lines: maxLines - first.lines, bytes: maxBytes - first.bytes };
  const head = lines.read(0, first);
  // A single line that is too long for a result is cut in its middle.
  const tail = lines.readTail(last, lines.lines === 1 ? 0 : head.lines);
  const parts = [...part(head), ...noteBetween(lines, { head, tail, more }), ...part(tail)];
  return {
    text: maxLines > 0 && maxBytes > 0 ? parts.join("\n") : "",
    isCut: true,
    ...(head.lines < lines.lines ? { next: head.lines } : {}),
  };
}

function part({ text, lines }: LineSlice): string[] {
  return lines === 0 ? [] : [text];
}

/** Returns notes on what is left out between the two ends. */
function noteBetween(
  all: MemoryLines,
  { head, tail, more }: { head: LineSlice; tail: LineSlice; more: string | undefined },
): string[] {
  if (all.lines === 1) return noteCut({ cut: all.bytes - byteLength(head.text + tail.text) }, "this", more);
  const lines = all.lines - head.lines - tail.lines;
  const between = lines > 0 ? [`[${lines} lines left out here; offset ${head.lines} continues]`] : [];
  return [...noteCut(head, "this", more), ...between, ...noteCut(tail, "the next", more)];
}

/** Returns a note on what is left out of a line; nothing if the line is whole. */
export function noteCut(
  { cut }: Pick<LineSlice, "cut">,
  which: "this" | "the next",
  more: string = LARGER,
): string[] {
  return cut === undefined ? [] : [`[${cut} bytes of ${which} line left out here; ${more}]`];
}
