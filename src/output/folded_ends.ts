// Parts of an output with folded repeating lines.
import { byteLength } from "../bytes.ts";
import type { MemoryLines, ReadLimit, StoredLine } from "../terminal/memory_lines.ts";
import { type Folding, foldLines } from "./fold.ts";

export interface FoldedEnds {
  text: string;
  /** First line that isn't in `text`. */
  next?: number;
}

/** Maximum lines folded as one run; a longer run is folded in pieces. */
const MAX_LINES = 20_000;

/**
 * Everything if it fits when folded; otherwise head and tail, with about a quarter and three quarters of the
 * limit. Undefined if nothing in the shown part is folded, or if even a single line doesn't fit.
 */
export function foldedEnds(lines: MemoryLines, limit: ReadLimit, folding: Folding): FoldedEnds | undefined {
  const all = take(foldLines(lines.forward().take(MAX_LINES), folding), limit);
  if (endOf(all) === lines.lines) return someFolded(all) ? { text: textOf(all) } : undefined;
  const first = { lines: Math.floor(limit.lines / 4), bytes: Math.floor(limit.bytes / 4) };
  const head = take(all, first);
  const rest = { lines: limit.lines - first.lines, bytes: limit.bytes - first.bytes };
  const back = lines.backward(endOf(head));
  const tail = take(foldLines(back.take(MAX_LINES), folding), rest).reverse();
  if (!someFolded([...head, ...tail]) || head.length === 0 || tail.length === 0) return undefined;
  const next = endOf(head);
  const omitted = tail[0]!.offset - next;
  const gap = omitted > 0 ? [`[${omitted} lines left out here; offset ${next} continues]`] : [];
  return { text: [textOf(head), ...gap, textOf(tail)].join("\n"), ...(omitted > 0 ? { next } : {}) };
}

/**
 * The first lines from number `from` on, or, with `fromEnd`, the last lines down to it. Undefined if not even the
 * first of them fits.
 */
export function foldedPart(
  lines: MemoryLines,
  { from, fromEnd, ...limit }: ReadLimit & { from: number; fromEnd: boolean },
): FoldedEnds | undefined {
  const source = fromEnd ? lines.backward(from) : lines.forward(from);
  const taken = take(foldLines(source.take(MAX_LINES), "always"), limit);
  if (taken.length === 0 && from < lines.lines) return undefined;
  if (!fromEnd) {
    const next = Math.max(endOf(taken), from);
    return { text: textOf(taken), ...(next < lines.lines ? { next } : {}) };
  }
  const first = taken.at(-1)?.offset ?? lines.lines;
  const gap = first > from ? [`[${first - from} lines left out here; offset ${from} continues]`] : [];
  return { text: [...gap, textOf(taken.reverse())].join("\n"), ...(first > from ? { next: from } : {}) };
}

/** The first of these lines, as many as the limit allows. */
function take(lines: Iterable<StoredLine>, limit: ReadLimit): StoredLine[] {
  const taken: StoredLine[] = [];
  let room = limit.bytes + 1;
  for (const line of lines) {
    room -= byteLength(line.text) + 1;
    if (taken.length >= limit.lines || room < 0) break;
    taken.push(line);
  }
  return taken;
}

function endOf(lines: readonly StoredLine[]): number {
  const last = lines.at(-1);
  return last === undefined ? 0 : last.offset + last.lines;
}

function someFolded(lines: readonly StoredLine[]): boolean {
  return lines.some(({ lines }) => lines > 1);
}

function textOf(lines: readonly StoredLine[]): string {
  return lines.map(({ text }) => text).join("\n");
}
