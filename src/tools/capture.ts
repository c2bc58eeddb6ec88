// Reading a pane's text.
import * as z from "zod";
import { AppError } from "../errors.ts";
import { defineTool } from "../tool.ts";
import { count, paneId } from "./params.ts";

export const capturePane = defineTool({
  name: "capture-pane",
  description: "Read the text a pane shows, or its last lines with history. " +
    "Use capture-since for new output only.",
  scope: "both",
  groups: ["capture"],
  effect: "read",
  alwaysLoad: true,
  maxResultSizeChars: 500_000,
  readsOn: "Call capture-pane with start and end for other rows.",
  input: z.strictObject({
    paneId,
    lines: z.int().min(0).max(1_000_000).optional().describe(
      "Last lines, with history, instead of start and end",
    ),
    start: z.int().optional().describe("First row; 0: top, negative: history"),
    end: z.int().optional().describe("Last row"),
    colors: z.boolean().default(false).describe("Keep escape sequences"),
    join: z.boolean().default(true).describe("Join wrapped rows"),
  }),
  output: "text",
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  async run({ paneId, lines, start, end, colors, join }, { tmux }) {
    if (lines === undefined) {
      return (await tmux.capture.lines(paneId, { start, end, colors, join })).join("\n");
    }
    if (start !== undefined || end !== undefined) {
      throw new AppError("invalid-argument", "Cannot use lines together with start or end", {
        hint: "Give lines for the last N, or start and end for a range of rows",
      });
    }
    return (await tmux.capture.lastLines(paneId, lines, { colors, join })).join("\n");
  },
});

export const captureSince = defineTool({
  name: "capture-since",
  title: "Capture new output",
  description: "Read what a pane has printed since an earlier call, given its cursor. " +
    "The first call, with paneId, returns the screen.",
  scope: "both",
  groups: ["capture"],
  effect: "read",
  maxResultSizeChars: 200_000,
  input: z.strictObject({
    paneId: paneId.optional(),
    cursor: z.string().optional().describe("From the previous call, instead of paneId"),
    maxLines: count.default(500).describe("Maximum lines; the next call returns the rest"),
    maxBytes: count.default(128_000).describe("Maximum bytes returned"),
  }),
  output: z.strictObject({
    paneId: z.string(),
    cursor: z.string(),
    lines: z.array(z.string()),
    missed: z.boolean(),
    /** Reserved for a tmux that counts the lines it drops: up to 3.7 none does, so the number is never known. */
    linesMissed: z.int().optional(),
    truncated: z.boolean(),
    alternateScreen: z.literal(true).optional(),
    elapsed: z.number(),
  }),
  targets: ({ paneId, cursor }) => [{ kind: "pane", id: paneOf(paneId, cursor), seen: cursor !== undefined }],
  async run({ paneId, cursor, maxLines, maxBytes }, { tmux, fit }) {
    const began = performance.now();
    return await fit(maxBytes, async (most) => {
      const limits = { maxLines, maxBytes: most };
      const { alternateScreen, ...since } = cursor === undefined
        ? await tmux.capture.screen(paneOf(paneId, cursor), limits)
        : await tmux.capture.since(cursor, limits);
      return {
        ...since,
        ...(alternateScreen ? { alternateScreen } : {}),
        elapsed: Math.round(performance.now() - began) / 1000,
      };
    });
  },
});

/** Pane of a call; a cursor begins with its pane's id. */
function paneOf(paneId: string | undefined, cursor: string | undefined): string {
  const owner = cursor === undefined ? paneId : /^%\d+(?=:)/.exec(cursor)?.[0];
  if (owner === undefined) {
    const what = cursor === undefined
      ? "capture-since needs paneId or cursor"
      : `Cannot read the cursor "${cursor}": capture-since did not return it`;
    throw new AppError("invalid-argument", what, {
      hint: "Give paneId for the screen and a cursor, then that cursor for new output",
    });
  }
  if (paneId === undefined || paneId === owner) return owner;
  throw new AppError("invalid-argument", `The cursor belongs to pane "${owner}", not "${paneId}"`, {
    hint: "Give only the cursor",
  });
}
