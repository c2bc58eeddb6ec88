// Finding panes by what they show.
import * as z from "zod";
import { AppError } from "../errors.ts";
import { defineTool, type Target } from "../tool.ts";
import type { PaneInfo } from "../tmux/objects/panes.ts";
import { count, paneId, sessionId, windowId } from "./params.ts";
import { hintAtRegex, lineTest, testShown } from "./search/pattern.ts";

const match = z.strictObject({
  paneId: z.string(),
  windowId: z.string(),
  sessionId: z.string(),
  sessionName: z.string(),
  windowName: z.string(),
  currentCommand: z.string(),
  currentPath: z.string(),
  isCaller: z.boolean(),
  lines: z.array(z.strictObject({ row: z.int(), text: z.string() })),
  linesTruncated: z.literal(true).optional(),
});

type PaneMatch = z.output<typeof match>;
type PaneLine = PaneMatch["lines"][number];

/** Bytes of an answer at most: lines that come on top are not kept. */
const MAX_BYTES = 1024 * 1024;
/** Least bytes of a line in an answer without its text. */
const LINE_BYTES = 20;

export const searchPanes = defineTool({
  name: "search-panes",
  description: "Find panes that show a text and return the matching lines. " +
    "Use list-panes to find one by its program.",
  scope: "both",
  groups: ["capture"],
  effect: "read",
  readsOn: "Call search-panes with a larger offset, or with a smaller maxLinesPerPane.",
  input: z.strictObject({
    pattern: z.string().min(1, "expected some text").describe("Text to find"),
    regex: z.boolean().default(false).describe("pattern is a regex (RE2)"),
    matchCase: z.boolean().default(false).describe("Match case"),
    sessionId: sessionId.optional(),
    windowId: windowId.optional(),
    paneIds: z.array(paneId).optional().describe("Only these panes"),
    history: z.union([count, z.string().regex(/^(all|\d+)$/, 'expected a number or "all"')]).default(0)
      .describe('Rows of history, or "all"'),
    maxLinesPerPane: count.default(50).describe("Maximum lines per pane; the last ones are kept"),
    limit: count.default(500).describe("Maximum panes returned"),
    offset: count.default(0).describe("Panes to skip"),
  }),
  output: z.strictObject({
    matches: z.array(match),
    total: z.int(),
    offset: z.int(),
    limit: z.int(),
    truncated: z.boolean(),
    hint: z.string().optional(),
  }),
  targets: ({ sessionId, windowId, paneIds = [] }): Target[] => [
    ...(sessionId === undefined ? [] : [{ kind: "session" as const, id: sessionId }]),
    ...(windowId === undefined ? [] : [{ kind: "window" as const, id: windowId }]),
    ...paneIds.map((id) => ({ kind: "pane" as const, id })),
  ],
  async run({ pattern, regex, matchCase, history, paneIds, ...args }, { tmux, sees, fit }) {
    const { maxLinesPerPane, limit, offset, ...where } = args;
    const test = await lineTest(pattern, { regex, matchCase });
    const inScope = await sees.panes();
    const there = (await tmux.panes.infos(where)).filter(({ id }) => inScope?.has(id) ?? true);
    const panes = choose(there, paneIds).sort((a, b) => idNumber(a) - idNumber(b));
    const back = history === "all" ? Infinity : Number(history);
    const found: PaneMatch[] = [];
    let [total, bytes, isAnyCut] = [0, 0, false];
    for await (const { pane, lines, isCut } of tmux.capture.many(panes, back)) {
      isAnyCut ||= isCut === true;
      const hits = lines.filter((line) => line.text !== "" && testShown(line, test));
      if (hits.length === 0) continue;
      total++;
      if (total <= offset || found.length >= limit || bytes >= MAX_BYTES) continue;
      const kept = lastThatFit(hits, maxLinesPerPane);
      bytes += bytesOf(kept);
      found.push({
        ...describe(pane),
        lines: kept,
        ...(isCut || kept.length < hits.length ? { linesTruncated: true } : {}),
      });
    }
    const hint = total > 0 ? {} : hintAtRegex([pattern], { regex, matchCase });
    const page = (most: number, lines: number) => {
      const matches = found.slice(0, most).map((each) => lastLines(each, lines));
      const truncated = isAnyCut || offset + matches.length < total ||
        matches.some((each) => each.linesTruncated);
      const before = matches.length === 1 ? hintBefore(matches[0]!, found[0]!) : {};
      return { matches, total, offset, limit, truncated, ...hint, ...before };
    };
    const shown = await fit(found.length, (most) => page(most, Infinity));
    const [only, ...others] = shown.matches;
    if (only === undefined || others.length > 0) return shown;
    return await fit(only.lines.length, (most) => page(1, most));
  },
});

/** The last of a pane's lines, as copies: a part of a pane's text would keep all of it in memory. */
function lastThatFit(lines: readonly PaneLine[], most: number): PaneLine[] {
  let [from, bytes] = [lines.length, 0];
  while (from > 0 && lines.length - from < most && bytes < MAX_BYTES) bytes += bytesOf([lines[--from]!]);
  return structuredClone(lines.slice(from).map(({ row, text }) => ({ row, text })));
}

function bytesOf(lines: readonly PaneLine[]): number {
  return lines.reduce((sum, { text }) => sum + LINE_BYTES + text.length, 0);
}

function lastLines(match: PaneMatch, most: number): PaneMatch {
  const { lines } = match;
  if (lines.length <= most) return match;
  return { ...match, lines: lines.slice(lines.length - most), linesTruncated: true };
}

/** Says where the lines are that an answer about one pane has no room for. */
function hintBefore({ paneId, lines: [first] }: PaneMatch, { lines }: PaneMatch): { hint?: string } {
  if (first === undefined || first === lines[0]) return {};
  return { hint: `For the lines before these, call capture-pane with end ${first.row - 1} for ${paneId}` };
}

function choose(panes: PaneInfo[], paneIds: readonly string[] | undefined): PaneInfo[] {
  if (paneIds === undefined) return panes;
  const missing = paneIds.find((id) => !panes.some((pane) => pane.id === id));
  if (missing !== undefined) {
    throw new AppError("not-found", `Cannot find pane "${missing}" among the panes to search`, {
      hint: "Call list-panes for the panes that exist",
    });
  }
  return panes.filter((pane) => paneIds.includes(pane.id));
}

function describe({ id: paneId, isCaller: own, ...pane }: PaneInfo): Omit<PaneMatch, "lines"> {
  const isCaller = own === true;
  const { windowId, sessionId, sessionName, windowName, currentCommand, currentPath } = pane;
  return { paneId, windowId, sessionId, sessionName, windowName, currentCommand, currentPath, isCaller };
}

/** Number in a pane's id. Ids never change, so pages sorted by it neither lose nor repeat a pane. */
function idNumber({ id }: PaneInfo): number {
  return Number(id.slice(1));
}
