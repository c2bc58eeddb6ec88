// Tools that watch panes: blocking, in the background, and what the watches saw.
import { z } from "zod";
import { AppError } from "../errors.ts";
import { excerpt } from "../excerpt.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import { MODES, STANDARD_TRIGGERS, TRIGGERS } from "../vocabulary.ts";
import { paneId } from "./params.ts";
import { watchResult } from "./shapes.ts";

/** Parameters every watch takes. */
export const watchParameters = {
  mode: z.enum(MODES).describe("Pace of progress; triggers fire at once"),
  timeout: z.number().min(0).default(50).describe("Seconds"),
  background: z.boolean().default(false).describe(
    "Answer a watchId; read watch-events",
  ),
};

export const triggerList = z.union([z.string(), z.array(z.string())]).describe(`${TRIGGERS} (RE2)`);

/** Reports a watch's progress to its caller, as `[%6 +2.1s] 3 new lines: compiled 41 of 90`. */
export function progressOf({ progress }: ToolContext, timeout: number) {
  if (!progress) return {};
  return {
    progress: ({ paneId, elapsed, newLines, lastLine }: {
      paneId: string;
      elapsed: number;
      newLines: number;
      lastLine: string;
    }) => {
      const news = newLines === 0 ? "nothing new" : `${newLines} new ${newLines === 1 ? "line" : "lines"}`;
      const message = `[${paneId} +${elapsed.toFixed(1)}s] ${news}${
        lastLine === "" ? "" : `: ${excerpt(lastLine, 160)}`
      }`;
      progress({ elapsed, total: timeout, message });
    },
  };
}

export const watchPane = defineTool({
  name: "watch-pane",
  title: "Watch pane",
  description:
    "Wait until something happens in a pane: its program ends, asks for input, prints an error or a " +
    "pattern, rings, or falls silent. With paneIds the first pane to do so wins. For longer waits use background. " +
    "To start the program as well use start-and-watch; to only look use capture-pane.",
  layer: 2,
  agentic: true,
  groups: ["watch"],
  effect: "read",
  input: z.strictObject({
    paneId: paneId.optional(),
    paneIds: z.array(paneId).min(1).optional().describe("Watch these instead; the first to fire wins"),
    ...watchParameters,
    mode: watchParameters.mode.default("medium"),
    triggers: triggerList.default(STANDARD_TRIGGERS),
  }),
  output: watchResult,
  targets: (args) => panesOf(args).map((id) => ({ kind: "pane", id })),
  async run({ mode, timeout, triggers, background, ...panes }, context) {
    const { tmux, watch, signal } = context;
    if (panes.paneId !== undefined && panes.paneIds !== undefined) {
      throw new AppError("invalid-argument", "Cannot take paneId together with paneIds", {
        hint: "Give paneId for one pane, or all of them in paneIds",
      });
    }
    const paneIds = panesOf(panes);
    if (paneIds.length === 0) {
      throw new AppError("invalid-argument", "watch-pane needs paneId or paneIds", {
        hint: "Call list-panes for the panes there are",
      });
    }
    const parsed = await watch.triggers(triggers);
    const source = await watch.paneSource(tmux, paneIds);
    const request = { tmux, triggers: parsed, mode, timeout, ...progressOf(context, timeout) };
    if (!background) return await watch.run(source, request, signal);
    const { watchId } = await watch.runInBackground(source, request);
    return { watchId, paneId: paneIds[0]!, ...(paneIds.length > 1 ? { paneIds } : {}) };
  },
});

export const watchEvents = defineTool({
  name: "watch-events",
  title: "Read watch events",
  description:
    "Read what finished watches saw, in order, and which watches go on. Pass the cursor back to get only " +
    "what is new; waitSeconds waits for the next event. Results of foreground watches are here too.",
  layer: 2,
  agentic: true,
  groups: ["watch"],
  effect: "read",
  input: z.strictObject({
    cursor: z.string().optional().describe("From the last answer; none reads from the oldest"),
    waitSeconds: z.number().min(0).default(0).describe("Wait this long for an event to come"),
    limit: z.int().min(0).default(50).describe("At most this many events"),
  }),
  output: z.strictObject({
    events: z.array(watchResult.extend({ seq: z.int(), watchId: z.string(), at: z.number() })),
    cursor: z.string(),
    active: z.array(z.strictObject({
      watchId: z.string(),
      paneId: z.string(),
      paneIds: z.array(z.string()),
      triggers: z.array(z.string()),
      elapsed: z.number(),
    })),
    missed: z.int().optional(),
  }),
  targets: () => [],
  async run({ cursor, waitSeconds, limit }, { watch, signal }) {
    await watch.inbox.wait(cursor, waitSeconds, signal);
    return { ...watch.inbox.read(cursor, limit), active: watch.active() };
  },
});

export const stopWatch = defineTool({
  name: "stop-watch",
  title: "Stop watch",
  description: "End a watch that goes on in the background; the program it watches goes on. " +
    "Its last word is an event `cancelled` in watch-events. A watch that is over answers stopped: false.",
  layer: 2,
  agentic: true,
  groups: ["watch"],
  effect: "read",
  input: z.strictObject({ watchId: z.string().min(1).describe("From watch-pane or start-and-watch") }),
  output: z.strictObject({ watchId: z.string(), stopped: z.boolean() }),
  targets: () => [],
  async run({ watchId }, { watch, tmux }) {
    return { watchId, stopped: watch.stop(watchId, await tmux.servers.key()) };
  },
});

function panesOf(
  { paneId, paneIds }: { paneId?: string | undefined; paneIds?: string[] | undefined },
): string[] {
  return [...new Set([...(paneId === undefined ? [] : [paneId]), ...(paneIds ?? [])])];
}
