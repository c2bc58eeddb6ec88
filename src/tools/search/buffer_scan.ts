// Searches buffers one after the other up to a limit; the next call continues at exactly that point.
import * as z from "zod";
import { isContinuationByte } from "../../bytes.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import type { Finder, Hit } from "./byte_finder.ts";
import { type ByteWindow, byteWindows } from "./byte_windows.ts";
import type { TimeSlice } from "../../timer.ts";
import { count } from "../params.ts";

/** Offset at which each buffer's search continues. */
export const offsets = z.record(z.string(), count);

export interface BufferRange {
  buffer: string;
  /** Size of the whole buffer (bytes). */
  size: number;
  begin: number;
  /** First byte at which a match may begin: later than `begin` if an earlier search stopped there. */
  from: number;
  /** End of the range; this byte and later ones aren't read. */
  end: number;
}

export interface ScanOptions {
  find: Finder;
  contextBytes: number;
  maxMatches: number;
  /** Limit for each buffer. */
  maxScanBytes: number;
  /** Size from which a buffer is read piece by piece. */
  streamedBytes: number;
  slice: TimeSlice;
}

const match = z.strictObject({
  matchId: z.string(),
  buffer: z.string(),
  offsetBytes: z.int(),
  matchLen: z.int(),
  contextStart: z.int(),
  contextEnd: z.int(),
  snippet: z.string(),
  similarity: z.number().optional(),
});

/** Result of a search: offsets count bytes. */
export const scanResult = z.strictObject({
  matches: z.array(match),
  totalMatches: z.int(),
  buffersScanned: z.int(),
  bytesScanned: z.int(),
  truncatedBuffers: z.array(z.string()),
  resumeFromOffset: offsets,
});

type Scan = z.output<typeof scanResult>;

/** Bytes of matches after which a scan pauses, and most bytes of context on each side: no answer is larger. */
const MAX_BYTES = 1024 * 1024;
/** Least bytes of a match without its snippet. */
const MATCH_BYTES = 100;

/** Searches ranges of buffers in turn, and lets other calls run meanwhile. */
export async function scanBuffers(
  tmux: Tmux,
  ranges: readonly BufferRange[],
  options: ScanOptions,
): Promise<Scan> {
  const scan: Scan = {
    matches: [],
    totalMatches: 0,
    buffersScanned: 0,
    bytesScanned: 0,
    truncatedBuffers: [],
    resumeFromOffset: {},
  };
  const room = { matches: options.maxMatches, bytes: MAX_BYTES };
  for (const range of ranges) {
    const resume = await scanBuffer(tmux, range, { scan, options, room });
    if (resume === undefined) continue;
    scan.truncatedBuffers.push(range.buffer);
    scan.resumeFromOffset[range.buffer] = resume;
  }
  scan.totalMatches = scan.matches.length;
  return scan;
}

/** Returns the offset at which the search of this buffer continues; `undefined` when it is complete. */
async function scanBuffer(tmux: Tmux, range: BufferRange, { scan, options, room }: {
  scan: Scan;
  options: ScanOptions;
  /** Room for further matches. */
  room: { matches: number; bytes: number };
}): Promise<number | undefined> {
  const { begin, from, end } = range;
  if (from >= end) return undefined;
  const isFull = () => room.matches <= 0 || room.bytes <= 0;
  if (isFull() && scan.buffersScanned > 0) return from;
  scan.buffersScanned++;
  const to = Math.min(end, from + options.maxScanBytes);
  const contextBytes = Math.min(options.contextBytes, MAX_BYTES);
  let next = from;
  const windows = { begin, from, to, context: contextBytes };
  for await (const window of byteWindows(read(tmux, range, options), windows)) {
    for (const hit of await options.find(window, next)) {
      if (isFull()) {
        scan.bytesScanned += hit.resume - from;
        return hit.resume;
      }
      const match = describe(hit, window, { range, contextBytes });
      scan.matches.push(match);
      room.matches--;
      room.bytes -= MATCH_BYTES + match.snippet.length;
      if (hit.resume === hit.offset) next = hit.offset + hit.length;
    }
    if (options.slice.over) await options.slice.pass();
  }
  scan.bytesScanned += to - from;
  const resume = Math.max(to, next);
  return resume < end ? resume : undefined;
}

async function* read(
  tmux: Tmux,
  { buffer, size, end }: BufferRange,
  { streamedBytes }: ScanOptions,
): AsyncGenerator<Uint8Array> {
  if (size <= streamedBytes) return yield (await tmux.buffers.read(buffer)).subarray(0, end);
  let at = 0;
  for await (const chunk of tmux.buffers.stream(buffer)) {
    yield chunk.subarray(0, end - at);
    at += chunk.length;
    if (at >= end) return;
  }
}

function describe(
  { offset, length, similarity }: Hit,
  { bytes, base }: ByteWindow,
  { range, contextBytes }: { range: BufferRange; contextBytes: number },
): z.output<typeof match> {
  let from = Math.max(0, offset - base - contextBytes);
  let until = Math.min(bytes.length, offset - base + length + contextBytes);
  // Context begins and ends between characters.
  while (from < offset - base && isContinuationByte(bytes[from]!)) from++;
  while (until > offset - base + length && isContinuationByte(bytes[until] ?? 0)) until--;
  return {
    matchId: `${range.buffer}:${offset}+${length}`,
    buffer: range.buffer,
    offsetBytes: offset,
    matchLen: length,
    contextStart: base + from,
    contextEnd: base + until,
    snippet: new TextDecoder().decode(bytes.subarray(from, until)),
    ...(similarity === undefined ? {} : { similarity: Math.round(similarity * 1000) / 1000 }),
  };
}
