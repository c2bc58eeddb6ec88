// Tools that wait for what a pane shows.
import * as z from "zod";
import { AppError } from "../errors.ts";
import { defineTool } from "../tool.ts";
import type { Trigger } from "../watch/protocol.ts";
import { paneId } from "./params.ts";
import { type PaneWait, untilTrigger } from "./pane_wait.ts";
import { continuesAsItself } from "./continuation.ts";
import { hintAtRegex } from "./search/pattern.ts";
import { readTexts, type TextOutcome, TextWait } from "./text_wait.ts";
import { reportWaiting } from "./waiting_progress.ts";

const seconds = z.number().min(0).default(8).describe("Maximum seconds to wait; 0 looks once");
const someText = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);
/** Maximum lines of output in an answer. */
const SHOWN_LINES = 20;

export const waitForText = defineTool({
  name: "wait-for-text",
  description: "Wait until a pane shows a text and return the matching lines; existing content counts. " +
    "Use watch-pane to also detect exits, errors and questions, or to wait longer in the background.",
  groups: ["wait"],
  effect: "read",
  waits: true,
  continues: true,
  readsOn: "Call capture-pane with start and end for what the pane still holds.",
  input: z.strictObject({
    paneId,
    pattern: someText.describe("Text to wait for, or a list: any of them"),
    regex: z.boolean().default(false).describe("Treat pattern and stop as regexes (RE2)"),
    matchCase: z.boolean().default(false).describe("Match case"),
    stop: someText.optional().describe("New text that ends the wait unsuccessfully, such as an error"),
    newOnly: z.boolean().default(false).describe("Ignore what the pane already shows"),
    timeout: seconds,
  }),
  output: z.strictObject({
    paneId: z.string(),
    found: z.boolean(),
    outcome: z.enum(["matched", "stopped", "timeout"]),
    matchedLines: z.array(z.string()),
    truncated: z.literal(true).optional(),
    matchedAtEntry: z.boolean(),
    elapsed: z.number(),
    cursor: z.string().optional(),
    hint: z.string().optional(),
  }),
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  async run(args, context) {
    const { paneId, pattern, stop, newOnly, timeout, ...options } = args;
    const began = performance.now();
    const texts = {
      wanted: await readTexts(pattern, options),
      ending: stop === undefined ? undefined : await readTexts(stop, options),
      newOnly,
    };
    const answer = ({ outcome, lines, isExcerpt = false, cursor }: TextOutcome) => ({
      paneId,
      found: outcome === "matched",
      outcome,
      matchedLines: lines.slice(-SHOWN_LINES),
      ...((isExcerpt || lines.length > SHOWN_LINES) && { truncated: true as const }),
      matchedAtEntry: false,
      elapsed: Math.round(performance.now() - began) / 1000,
      ...(cursor === undefined ? {} : { cursor }),
      ...(outcome === "timeout" ? hintAtRegex([pattern, stop ?? []].flat(), options) : {}),
    });
    const wait = await TextWait.create(paneId, texts, context.tmux);
    const lines = await wait.shown();
    const { begin: cursor } = wait;
    if (lines.length > 0) return { ...answer({ outcome: "matched", lines, cursor }), matchedAtEntry: true };
    if (timeout === 0) return answer({ outcome: "timeout", lines, cursor });

    // A later server couldn't know which lines are new.
    if (newOnly) context.task?.continueWith(() => undefined);
    else continuesAsItself(context, { tool: "wait-for-text", args, until: "timeout", paneIds: [paneId] });
    const { triggers } = wait;
    let found: TextOutcome | undefined;
    const recheck = async (): Promise<boolean> => (found = await wait.redrawn()) !== undefined;
    const result = await watchUntil(paneId, { triggers, timeout, context, recheck }, async () => {
      found = await wait.missed();
      return found !== undefined;
    });
    return answer(found ?? await wait.outcomeOf(result!));
  },
});

export const waitForContentChange = defineTool({
  name: "wait-for-content-change",
  title: "Wait for a change",
  description: "Wait until a pane's content changes and, with stableMs, until it stops changing. " +
    "Use wait-for-text when you know what will appear, watch-pane with background to wait longer.",
  groups: ["wait"],
  effect: "read",
  waits: true,
  input: z.strictObject({
    paneId,
    timeout: seconds,
    stableMs: z.number().min(0).default(0).describe(
      "After a change, wait until nothing changed for this many milliseconds",
    ),
  }),
  output: z.strictObject({ paneId: z.string(), changed: z.boolean(), elapsed: z.number() }),
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  async run({ paneId, timeout, stableMs }, { progress, ...context }) {
    const began = performance.now();
    let changed = false;
    const message = (): string => changed ? "still changing" : "nothing changed";
    using _ = reportWaiting({ progress }, { paneId, total: timeout, message });
    const remaining = (): number => Math.max(0, timeout - (performance.now() - began) / 1000);
    // A program may show a choice by color only.
    const read = (): Promise<string> => context.tmux.capture.text(paneId, { join: false, colors: true });
    const before = await read();
    const differs = async (): Promise<boolean> => await read() !== before;
    while (!changed && remaining() > 0) {
      const triggers: Trigger[] = [{ kind: "output", event: "output" }];
      await watchUntil(paneId, { triggers, timeout: remaining(), context, recheck: differs }, differs);
      changed = await differs();
    }
    if (changed && stableMs > 0 && remaining() > 0) {
      const triggers: Trigger[] = [{ kind: "idle", event: "idle", seconds: stableMs / 1000 }];
      await watchUntil(paneId, { triggers, timeout: remaining(), context }, () => Promise.resolve(false));
    }
    return { paneId, changed, elapsed: Math.round(performance.now() - began) / 1000 };
  },
});

/** Like `untilTrigger`, for callers that treat the pane's end as a failure. */
async function watchUntil(paneId: string, wait: PaneWait, isMet: () => Promise<boolean>) {
  const result = await untilTrigger(paneId, wait, isMet);
  if (result?.event !== "gone") return result;
  throw new AppError("gone", `Pane "${paneId}" died during the wait: ${result.detail}`, {
    hint:
      "Call capture-pane for its last content, if tmux kept the pane; list-panes for the panes that exist",
  });
}
