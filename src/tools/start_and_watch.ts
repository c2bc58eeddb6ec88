// The tool that starts a command and reports its first event.
import * as z from "zod";
import { AppError } from "../errors.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import type { Trigger } from "../watch/protocol.ts";
import type { HandOver } from "../watch/watch.ts";
import { paneId, shell, startDirectory } from "./params.ts";
import { answeredResult } from "./shapes.ts";
import { keepsWatch } from "./continuation.ts";
import { progressOf, shortResult, triggerList, verbose, watchParameters } from "./watch.ts";
import { bestEffort } from "../promises.ts";

const USER_INPUT: Trigger = { kind: "user_input", event: "user_input" };

export const startAndWatch = defineTool({
  name: "start-and-watch",
  description:
    "Start a long-running command and return when it is ready (its output matches the regex pattern), prints an error, waits for input, or exits. " +
    "Read later output with get-command-result. Without paneId, it creates a session. " +
    "For longer waits, set background and read watch-events.",
  scope: "agentic",
  groups: ["execute"],
  effect: "input",
  waits: true,
  continues: true,
  readsOn: "Call get-command-result with the commandId for all its output.",
  input: z.strictObject({
    command: z.string().min(1).describe("Shell command"),
    paneId: paneId.optional().describe("Pane to start it in; omitted: a new session"),
    shell: shell.optional(),
    pattern: z.string().min(1).optional().describe("Regex (RE2) that its output matches when it is ready"),
    ...watchParameters,
    mode: watchParameters.mode.default("quick"),
    triggers: triggerList.default("exit,error,user_input"),
    startDirectory: startDirectory.optional().describe("Working directory of a new session"),
    verbose,
    onInput: z.enum(["return", "person"]).default("return").describe(
      "When the program waits for input: return, or have a person answer",
    ),
  }),
  output: answeredResult,
  targets: ({ paneId }) => [paneId === undefined ? { kind: "new-session" } : { kind: "pane", id: paneId }],
  shellText: ({ command }) => [{ kind: "command", text: command }],
  async run(
    { command, shell, pattern, mode, timeout, triggers, background, verbose, onInput, ...where },
    context,
  ) {
    const { tmux, watches, commands, signal } = context;
    const parsed = await watches.triggers(triggers, pattern);
    const handOver = onInput === "person" ? handOverOf(context) : undefined;
    if (handOver && !parsed.some(({ kind }) => kind === "user_input")) parsed.push(USER_INPUT);
    const place = await findPlace(where, context);
    try {
      signal.throwIfAborted();
      const isNewShell = place.sessionId !== undefined;
      const typed = { tmux, paneId: place.paneId, command, shell, timeout, isNewShell, signal };
      const source = await commands.source(typed);
      const request = {
        tmux,
        triggers: parsed,
        mode,
        timeout,
        handOver,
        ...progressOf(context, timeout),
        ...keepsWatch(context, { verbose, ...place }),
      };
      if (!background) {
        const result = await watches.run(source, request, signal);
        // A command that has not begun by then never does.
        if (result.commandId === undefined) signal.throwIfAborted();
        return { ...shortResult(result, verbose), ...place };
      }
      const { watchId, cursor, ids } = await watches.runInBackground(source, request);
      return { watchId, cursor, ...ids, ...place };
    } catch (error) {
      // The caller doesn't know the session, so it could never end it.
      if (place.sessionId !== undefined) {
        await bestEffort(tmux.outlivingCall().sessions.kill(place.sessionId));
      }
      throw error;
    }
  },
});

/** Function that hands questions to a person; a background watch outlives its call. */
function handOverOf({ tmux, handovers, askPerson, sees: { contents: quotes } }: ToolContext): HandOver {
  const given = { tmux: tmux.outlivingCall(), askPerson, quotes };
  return (asking, until, signal) => handovers.ask({ ...given, ...asking, until, signal });
}

/** Returns the pane for the command, and the session if one was created for it. */
async function findPlace(
  { paneId, startDirectory }: { paneId?: string | undefined; startDirectory?: string | undefined },
  { tmux }: ToolContext,
): Promise<{ paneId: string; sessionId?: string }> {
  if (paneId === undefined) {
    // A session whose ids a cancelled call never got could not be ended.
    const made = await tmux.outlivingCall().sessions.create({ startDirectory });
    return { paneId: made.paneId, sessionId: made.sessionId };
  }
  if (startDirectory === undefined) return { paneId };
  const what = `Cannot start in "${startDirectory}": the shell of pane ${paneId} has its own directory`;
  throw new AppError("invalid-argument", what, {
    hint: "Omit paneId for a new session, or use cd in the command",
  });
}
