// Tools that watch panes, blocking or in the background, and that read the results.
import * as z from "zod";
import { AppError } from "../errors.ts";
import { excerpt } from "../excerpt.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import type { WatchResult } from "../watch/inbox.ts";
import type { ActiveWatch } from "../watch/watches.ts";
import type { WatchProgress } from "../watch/watch.ts";
import { MODES, STANDARD_TRIGGERS, TRIGGERS } from "../vocabulary.ts";
import { paneId, timeout } from "./params.ts";
import { checkExclusive } from "./argument_conflicts.ts";
import { answeredResult } from "./shapes.ts";
import { continuesAsItself, keepsWatch } from "./continuation.ts";
import { reportWaiting } from "./waiting_progress.ts";

export const watchParameters = {
  mode: z.enum(MODES).describe("How often progress is reported; triggers fire at once in every mode"),
  timeout: timeout(50),
  background: z.boolean().default(false).describe(
    "Return at once with a watchId; read the result with watch-events",
  ),
};

export const verbose = z.boolean().optional().describe("Return the whole paneState");

/** Result for most callers: without the details of `pane-state`, unless `isVerbose`. */
export function shortResult<R extends WatchResult>(result: R, isVerbose = false) {
  if (isVerbose || result.paneState === undefined) return result;
  const { panePid: _, foregroundPid: __, evidence, inputKind, ...state } = result.paneState;
  // Evidence is for people, unless it says why no program is seen.
  const blind = state.isAlive && state.foregroundCmd === "" && { evidence };
  return { ...result, paneState: { ...state, ...(state.waitingForInput && { inputKind }), ...blind } };
}

export const triggerList = z.union([z.string(), z.array(z.string())]).describe(`${TRIGGERS} (RE2)`);

/** Reports a watch's progress to its caller, as `[%6 +2.1s] 3 new lines: compiled 41 of 90`. */
export function progressOf({ progress }: ToolContext, timeout: number) {
  if (!progress) return {};
  return {
    progress: ({ paneId, elapsed, newLines, lastLine }: WatchProgress) => {
      const count = newLines === 0 ? [] : [`${newLines} new ${newLines === 1 ? "line" : "lines"}`];
      const news = [...count, ...lastLine === "" ? [] : [excerpt(lastLine, 160)]].join(": ");
      progress({
        elapsed,
        total: timeout,
        message: `[${paneId} +${elapsed.toFixed(1)}s] ${news || "nothing new"}`,
      });
    },
  };
}

export const watchPane = defineTool({
  name: "watch-pane",
  description:
    "Wait until a program in a pane exits, waits for input, prints an error or a pattern, rings the bell, or goes quiet. " +
    "For longer waits, set background and read watch-events.",
  scope: "agentic",
  groups: ["watch"],
  effect: "read",
  waits: true,
  continues: true,
  readsOn: "Call capture-pane with start and end for what the pane still holds.",
  input: z.strictObject({
    paneId: paneId.optional(),
    paneIds: z.array(paneId).min(1).optional().describe("Several panes: the first to fire wins"),
    ...watchParameters,
    mode: watchParameters.mode.default("medium"),
    triggers: triggerList.default(STANDARD_TRIGGERS),
    verbose,
  }),
  output: answeredResult,
  targets: (args) => panesOf(args).map((id) => ({ kind: "pane", id })),
  async run({ mode, timeout, triggers, background, verbose, ...panes }, context) {
    const { tmux, watches, commands, signal } = context;
    checkExclusive(panes, ["paneId", "paneIds"]);
    const paneIds = panesOf(panes);
    if (paneIds.length === 0) {
      throw new AppError("invalid-argument", "watch-pane needs paneId or paneIds", {
        hint: "Call list-panes for the panes that exist",
      });
    }
    const watched = context.task?.watched;
    if (watched) {
      const result = await context.durable.untilWatched(watched.watchId, tmux, signal);
      return shortResult({ ...result, ...watched.beside }, verbose);
    }
    const parsed = await watches.triggers(triggers);
    const source = commands.withExitCodes(await watches.paneSource(tmux, paneIds));
    const request = {
      tmux,
      triggers: parsed,
      mode,
      timeout,
      ...progressOf(context, timeout),
      ...keepsWatch(context, { verbose }),
    };
    if (!background) return shortResult(await watches.run(source, request, signal), verbose);
    const { watchId, cursor } = await watches.runInBackground(source, request);
    return { watchId, cursor, paneId: paneIds[0]!, ...(paneIds.length > 1 ? { paneIds } : {}) };
  },
});

export const watchEvents = defineTool({
  name: "watch-events",
  title: "Read watch events",
  description: "Read the results of finished watches and list those still running. " +
    "Without cursor: unread events; with the returned cursor: all newer ones.",
  scope: "agentic",
  groups: ["watch"],
  effect: "read",
  waits: true,
  continues: true,
  maxResultSizeChars: 200_000,
  input: z.strictObject({
    cursor: z.string().optional().describe(
      "From the previous call; omitted: unread events of background watches",
    ),
    waitSeconds: z.number().min(0).default(0).describe("Maximum seconds to wait for an event"),
    limit: z.int().min(0).default(50).describe("Maximum events returned"),
    verbose,
  }),
  output: z.strictObject({
    events: z.array(answeredResult.extend({ seq: z.int(), watchId: z.string(), at: z.number() })),
    cursor: z.string(),
    active: z.array(z.strictObject({
      watchId: z.string(),
      paneId: z.string(),
      paneIds: z.array(z.string()),
      triggers: z.array(z.string()),
      elapsed: z.number(),
      commandId: z.string().optional(),
    })),
    missed: z.int().optional(),
    omitted: z.string().optional(),
  }),
  targets: () => [],
  async run(args, context) {
    const { cursor, waitSeconds, limit, verbose } = args;
    const { watches, signal, fit, tmux, durable } = context;
    continuesAsItself(context, {
      tool: "watch-events",
      args,
      until: "waitSeconds",
      paneIds: [],
      isSelfKnown: true,
    });
    const active = (): ActiveWatch[] => [...watches.active(), ...durable.unfollowed()];
    const message = (): string => `${active().length} watches running, no new event`;
    using _ = reportWaiting(context, { total: waitSeconds, message });
    const next = () => watches.inbox.next({ cursor, limit }, waitSeconds, signal);
    const page = await durable.during(tmux, next, cursor);
    const running = await fittingWatches(active(), page.events.length > 0, fit);
    const answer = await fit(page.events.length, (most) => {
      const { events, ...rest } = watches.inbox.beginning(page, most);
      return { ...rest, events: events.map((event) => shortResult(event, verbose)), ...running };
    });
    watches.delivered(answer.events);
    return answer;
  },
});

/** As many running watches as fit in an answer, or in half of it if there are events too. */
async function fittingWatches(all: readonly ActiveWatch[], hasEvents: boolean, fit: ToolContext["fit"]) {
  const { active } = await fit(all.length, (most) => ({ active: all.slice(0, most) }), hasEvents ? 2 : 1);
  const left = all.length - active.length;
  const omitted = `Left out: ${left} of ${all.length} running watches. Their results come as events`;
  return { active, ...(left > 0 && { omitted }) };
}

export const stopWatch = defineTool({
  name: "stop-watch",
  description: "Stop a background watch; the program keeps running.",
  scope: "agentic",
  groups: ["watch"],
  effect: "read",
  input: z.strictObject({ watchId: z.string().min(1).describe("From a background call") }),
  output: z.strictObject({ watchId: z.string(), stopped: z.boolean() }),
  targets: () => [],
  async run({ watchId }, { watches, tmux, durable }) {
    const serverKey = await tmux.servers.key();
    const stop = (): boolean => durable.stopUnreached(watchId) || watches.stop(watchId, serverKey);
    return await durable.during(tmux, () => ({ watchId, stopped: stop() }));
  },
});

function panesOf(
  { paneId, paneIds }: { paneId?: string | undefined; paneIds?: string[] | undefined },
): string[] {
  return [...new Set([...(paneId === undefined ? [] : [paneId]), ...(paneIds ?? [])])];
}
