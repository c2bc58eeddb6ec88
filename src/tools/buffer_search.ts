// Tools that search paste buffers.
import * as z from "zod";
import { AppError, notFound } from "../errors.ts";
import { defineTool, type Target, type ToolContext } from "../tool.ts";
import { type BufferRange, offsets, scanBuffers, scanResult } from "./search/buffer_scan.ts";
import { TimeSlice } from "../timer.ts";
import { count } from "./params.ts";
import { checkExclusive } from "./argument_conflicts.ts";

const bufferName = z.string().min(1);

const searchParameters = {
  query: z.string().min(1, "expected some text").describe("Text to find"),
  mode: z.enum(["literal", "regex"]).default("literal").describe(
    "regex is RE2 and matches within a line; both are case-sensitive",
  ),
  maxMatches: count.default(50).describe("Maximum matches"),
  fuzzyMatch: z.boolean().default(false).describe(
    "For lines without a match, also report the most similar text",
  ),
  similarityThreshold: z.number().min(0).max(1).default(0.8).describe(
    "Minimum similarity for fuzzyMatch, 0 to 1",
  ),
  includeSimilarity: z.boolean().default(false).describe("Report the similarity of each match"),
  maxScanBytes: count.default(65_536).describe("Bytes to search in each buffer"),
  resumeFromOffset: offsets.optional().describe(
    "resumeFromOffset from the previous call: continue there, in the buffers it names",
  ),
};

export const searchBuffer = defineTool({
  name: "search-buffer",
  title: "Search buffers",
  description: "Find text in one, several or all paste buffers, with byte offsets for show-buffer. " +
    "resumeFromOffset says where the next call continues. Use subsearch-buffer to look around a match.",
  groups: ["buffer-read"],
  effect: "read",
  readsOn: "Call search-buffer with a smaller maxMatches or contextBytes, and resumeFromOffset.",
  input: z.strictObject({
    ...searchParameters,
    buffer: bufferName.optional().describe("Only this buffer"),
    buffers: z.array(bufferName).optional().describe("Only these buffers, in this order"),
    contextBytes: count.default(40).describe("Bytes to show before and after a match"),
  }),
  output: scanResult,
  targets: ({ buffer, buffers = [] }): Target[] =>
    (buffer === undefined ? buffers : [buffer]).map((name) => ({ kind: "buffer", name })),
  async run({ buffer, buffers, resumeFromOffset, ...parameters }, context) {
    checkExclusive({ buffer, buffers }, ["buffer", "buffers"]);
    const sizes = await sizesOf(context);
    const names = buffer !== undefined ? [buffer] : [...new Set(buffers ?? sizes.keys())];
    const ranges = names.map((name): WholeRange => {
      const size = sizeOf(name, sizes);
      return { buffer: name, size, begin: 0, end: size };
    });
    return await search(resumed(ranges, resumeFromOffset, sizes), parameters, context);
  },
});

export const subsearchBuffer = defineTool({
  name: "subsearch-buffer",
  title: "Search around a match",
  description: "Find text in an earlier match and in contextBytes before and after it.",
  groups: ["buffer-read"],
  effect: "read",
  readsOn: "Call subsearch-buffer with a smaller maxMatches or contextBytes, and resumeFromOffset.",
  input: z.strictObject({
    anchor: z.strictObject({ offsetBytes: count, matchLen: count, buffer: bufferName.optional() }).optional()
      .describe("Place to search around"),
    matchId: z.string().optional().describe("matchId of an earlier match, instead of anchor"),
    buffer: bufferName.optional().describe("Buffer of the anchor"),
    contextBytes: count.default(200).describe("Bytes to search, and to show, before and after"),
    ...searchParameters,
  }),
  output: scanResult,
  targets: (args): Target[] => [{ kind: "buffer", name: anchorOf(args).buffer }],
  async run({ resumeFromOffset, ...parameters }, context) {
    const { buffer, offsetBytes, matchLen } = anchorOf(parameters);
    const sizes = await sizesOf(context);
    const size = sizeOf(buffer, sizes);
    if (offsetBytes + matchLen > size) {
      const what = `The match at ${offsetBytes} is past the end of buffer "${buffer}"`;
      throw new AppError("invalid-argument", what, {
        hint: `It has ${size} bytes: call search-buffer again`,
      });
    }
    const { contextBytes } = parameters;
    const begin = Math.max(0, offsetBytes - contextBytes);
    const end = Math.min(size, offsetBytes + matchLen + contextBytes);
    const ranges = resumed([{ buffer, size, begin, end }], resumeFromOffset, sizes);
    return await search(ranges, parameters, context);
  },
});

function anchorOf({ anchor, matchId, buffer }: {
  anchor?: { offsetBytes: number; matchLen: number; buffer?: string | undefined } | undefined;
  matchId?: string | undefined;
  buffer?: string | undefined;
}): { buffer: string; offsetBytes: number; matchLen: number } {
  checkExclusive({ anchor, matchId, buffer }, ["anchor", "matchId"], ["buffer", "matchId"]);
  if (anchor?.buffer !== undefined && buffer !== undefined && anchor.buffer !== buffer) {
    throw new AppError("invalid-argument", `The anchor is in buffer "${anchor.buffer}", not "${buffer}"`, {
      hint: "Give only the anchor",
    });
  }
  const named = anchor?.buffer ?? buffer;
  if (anchor && named !== undefined) return { ...anchor, buffer: named };
  const [, name, offset, length] = /^(.+):(\d+)\+(\d+)$/s.exec(matchId ?? "") ?? [];
  if (name !== undefined) return { buffer: name, offsetBytes: Number(offset), matchLen: Number(length) };
  const what = matchId === undefined
    ? `Cannot search: missing ${anchor ? "buffer of the anchor" : "anchor or matchId"}`
    : `Cannot find match "${matchId}": search-buffer did not return it`;
  throw new AppError("invalid-argument", what, {
    hint: "Give the matchId of a match from search-buffer, or anchor {buffer, offsetBytes, matchLen}",
  });
}

/** A range before it is known where an earlier search of it stopped. */
type WholeRange = Omit<BufferRange, "from">;

/** Ranges of the named buffers, each from the offset where the search stopped. */
function resumed(
  ranges: readonly WholeRange[],
  offsets: Readonly<Record<string, number>> | undefined,
  sizes: ReadonlyMap<string, number>,
): BufferRange[] {
  if (offsets === undefined || Object.keys(offsets).length === 0) {
    return ranges.map((range) => ({ ...range, from: range.begin }));
  }
  for (const [name, offset] of Object.entries(offsets)) {
    const size = sizeOf(name, sizes);
    if (offset <= size) continue;
    const what = `Cannot continue at ${offset}: buffer "${name}" has ${size} bytes`;
    throw new AppError("invalid-argument", what, { hint: "It has changed: search it from the start" });
  }
  return ranges.filter(({ buffer }) => Object.hasOwn(offsets, buffer))
    .map((range) => ({ ...range, from: Math.max(range.begin, offsets[range.buffer]!) }));
}

type SearchParameters = Omit<z.output<z.ZodObject<typeof searchParameters>>, "resumeFromOffset"> & {
  contextBytes: number;
};

async function search(ranges: readonly BufferRange[], parameters: SearchParameters, context: ToolContext) {
  const { query, mode, fuzzyMatch, similarityThreshold, includeSimilarity } = parameters;
  const threshold = fuzzyMatch ? similarityThreshold : undefined;
  const { createFinder } = await import("./search/byte_finder.ts");
  const slice = new TimeSlice(context.signal);
  const find = await createFinder({ query, mode, threshold, similarity: includeSimilarity, slice });
  const { contextBytes, maxMatches, maxScanBytes } = parameters;
  const { streamedBytes, tmux, fit } = context;
  const limits = { contextBytes, maxScanBytes, streamedBytes };
  const scan = (most: number) => scanBuffers(tmux, ranges, { find, ...limits, maxMatches: most, slice });
  const first = await scan(maxMatches);
  return await fit(first.totalMatches, (most) => most === first.totalMatches ? first : scan(most));
}

async function sizesOf({ tmux, sees }: ToolContext): Promise<Map<string, number>> {
  const buffers = await tmux.buffers.list();
  const seen = await Promise.all(buffers.map(({ name }) => sees.buffer(name)));
  return new Map(buffers.filter((_, at) => seen[at]).map(({ name, size }) => [name, size]));
}

function sizeOf(name: string, sizes: ReadonlyMap<string, number>): number {
  const size = sizes.get(name);
  if (size !== undefined) return size;
  throw notFound("buffer", name);
}
