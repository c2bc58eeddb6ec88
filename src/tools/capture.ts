// Reading a pane's text.
import { z } from "zod";
import { AppError } from "../errors.ts";
import { defineTool } from "../tool.ts";
import { paneId } from "./params.ts";

export const capturePane = defineTool({
  name: "capture-pane",
  title: "Capture pane",
  description: "Read what a pane shows, or its last lines with history. " +
    "Use capture-since to read only what is new, execute-command to run a command and get its output.",
  layer: 1,
  agentic: true,
  groups: ["capture"],
  effect: "read",
  alwaysLoad: true,
  maxResultSizeChars: 500_000,
  input: z.strictObject({
    paneId,
    lines: z.int().min(0).max(1_000_000).optional().describe("The last N lines, history included"),
    start: z.int().optional().describe("First row: 0 is the top of the screen, negative is history"),
    end: z.int().optional().describe("Last row"),
    colors: z.boolean().default(false).describe("Keep colour escape sequences"),
    join: z.boolean().default(true).describe("Join wrapped rows into lines"),
  }),
  output: "text",
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  async run({ paneId, lines, start, end, colors, join }, { tmux }) {
    if (lines === undefined) {
      return (await tmux.capture.lines(paneId, { start, end, colors, join })).join("\n");
    }
    if (start !== undefined || end !== undefined) {
      throw new AppError("invalid-argument", "Cannot take lines together with start or end", {
        hint: "Give lines for the last N, or start and end for a range of rows",
      });
    }
    return (await tmux.capture.lastLines(paneId, lines, { colors, join })).join("\n");
  },
});
