// Tools that run commands in panes' shells.
import * as z from "zod";
import { AppError } from "../errors.ts";
import { excerpt } from "../excerpt.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import type { CommandStatus } from "../commands/command_result.ts";
import type { TrackedCommand } from "../commands/tracked_command.ts";
import type { ListedCommand } from "../commands/durable/listed_command.ts";
import { type Asked, type OnInput, untilSettled } from "./handover.ts";
import { outputParameters, outputQuery } from "./output_parameters.ts";
import { onInput, onInputUnasked, paneId, shell, timeout } from "./params.ts";
import { checkHasEffect } from "./argument_conflicts.ts";
import { commandResult } from "./shapes.ts";
import { continuesAsItself } from "./continuation.ts";
import { checkLines, passwordCheck } from "./typing_checks.ts";
import { reportWaiting } from "./waiting_progress.ts";

const limits = {
  maxLines: z.int().min(0).default(2000).describe("Maximum lines returned"),
  maxBytes: z.int().min(0).default(65_536).describe("Maximum bytes returned"),
};

/** Note on a line that is too long for its answer. */
const NO_ROOM = "this answer has no room for more of it, and grep shows the part that matches";

const executeInput = z.strictObject({
  paneId,
  command: z.string().describe("Shell command"),
  timeout: timeout(50),
  background: z.boolean().default(false).describe("Return at once with a commandId"),
  onInput,
  ...limits,
  ...outputParameters,
  subshell: z.boolean().default(false).describe("cd and export don't persist"),
  shell: shell.optional(),
  rawMode: z.boolean().default(false).describe("Type it into any program; no exit code"),
  noEnter: z.boolean().default(false).describe("Don't press Enter"),
  delayMs: z.int().min(0).max(10_000).optional().describe(
    "Pause between characters, with rawMode or noEnter",
  ),
  suppressHistory: z.boolean().default(true).describe("Keep the command out of the shell's history"),
});

export const executeCommand = defineTool({
  name: "execute-command",
  description:
    "Run a command in a pane's own shell (cd and export persist) and return its exit code and complete output. " +
    "With background, or after timeout, it keeps running: call get-command-result. " +
    "Use start-and-watch for servers, run-in-repl in a REPL.",
  scope: "both",
  groups: ["execute"],
  effect: "input",
  waits: true,
  continues: true,
  readsOn: "Call get-command-result with offset for the rest.",
  input: executeInput,
  output: commandResult,
  alwaysLoad: true,
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  shellText: ({ command }) => [{ kind: "command", text: command }],
  async run(args, context) {
    const { rawMode, noEnter, background, timeout, onInput } = args;
    checkTyping(args);
    const shown = await outputQuery(args, context.signal);
    if (noEnter) return await typeOnly(args, context);
    const began = performance.now();
    const tracked = rawMode ? await startRaw(args, context) : await context.commands.start({
      tmux: context.tmux,
      paneId: args.paneId,
      snapshot: await context.snapshot(),
      command: args.command,
      subshell: args.subshell,
      keepHistory: !args.suppressHistory,
      shell: args.shell,
      timeout,
      signal: context.signal,
    });
    continuesAsResult(tracked, { ...args, waitSeconds: timeout }, context);
    const asked = background ? {} : await waitFor(tracked, { began, seconds: timeout, onInput }, context);
    return await fitResult(tracked, { shown, asked }, context);
  },
});

const resultInput = z.strictObject({
  commandId: z.string().min(1).describe("From an earlier call, or list-commands"),
  waitSeconds: z.number().min(0).default(0).describe("Maximum seconds to wait for its end"),
  offset: z.int().min(0).optional().describe("First line, from 0"),
  onInput,
  ...limits,
  ...outputParameters,
});

export const getCommandResult = defineTool({
  name: "get-command-result",
  description: "Get the status, exit code and output of a command. " +
    "grep, view and offset read the kept output; nothing runs again.",
  scope: "both",
  groups: ["execute"],
  effect: "read",
  waits: true,
  continues: true,
  effectOf: ({ onInput }) => onInput === "person" ? "change" : "read",
  readsOn: "Call get-command-result with offset for the rest.",
  input: resultInput,
  readOnlyInput: resultInput.extend({ onInput: onInputUnasked }),
  output: commandResult,
  targets: () => [],
  async run({ commandId, waitSeconds, onInput, ...part }, context) {
    const shown = await outputQuery(part, context.signal);
    const tracked = await context.commands.read(commandId, context.sees);
    continuesAsResult(tracked, { onInput, ...part, waitSeconds }, context);
    const wait = { began: performance.now(), seconds: waitSeconds, onInput };
    const asked = await waitFor(tracked, wait, context);
    return await fitResult(tracked, { shown, asked }, context);
  },
});

export const listCommands = defineTool({
  name: "list-commands",
  description: "List running, then ended commands, newest first, also of earlier servers. " +
    "Use it when you no longer know what you started.",
  scope: "both",
  groups: ["list", "execute"],
  effect: "read",
  readsOn: "Call list-commands with paneId or a smaller limit.",
  input: z.strictObject({
    paneId: paneId.optional().describe("Only commands of this pane"),
    limit: z.int().min(0).default(20).describe("Maximum commands returned"),
  }),
  output: z.strictObject({
    commands: z.array(z.strictObject({
      commandId: z.string(),
      paneId: z.string(),
      command: z.string().optional(),
      status: z.enum(["running", "waiting", "completed", "lost", "cancelled"]),
      exitCode: z.int().optional(),
      /** Reason why the result is lost. */
      reason: z.string().optional(),
      /** Epoch seconds. */
      started: z.number(),
      /** Seconds. */
      elapsed: z.number(),
      watchIds: z.array(z.string()).optional(),
    })),
    total: z.int(),
  }),
  targets: ({ paneId }) => paneId === undefined ? [] : [{ kind: "pane", id: paneId, seen: true }],
  async run({ paneId, limit }, context) {
    const { tmux, commands, watches, sees, fit, durable } = context;
    const visible = await sees.panes();
    const listed = await durable.during(tmux, () => commands.listed(tmux, visible));
    const all = listed.filter((each) => paneId === undefined || !each.isGone && each.paneId === paneId);
    // One that runs for long would be beyond the limit, behind newer ones that have ended.
    const hasEnded = ({ status }: ListedCommand): number => Number(status !== "running");
    all.sort((one, other) => hasEnded(one) - hasEnded(other));
    const watching = [...watches.active(), ...await durable.unfollowedOn(tmux)];
    const rows = await Promise.all(
      all.slice(0, limit).map(async ({ startedMs, isGone: _, ...command }) => {
        const watchIds = watching.filter((each) => each.commandId === command.commandId)
          .map(({ watchId }) => watchId);
        const status = await statusNow(command, context);
        return { ...command, status, started: startedMs / 1000, ...(watchIds.length > 0 && { watchIds }) };
      }),
    );
    return await fit(rows.length, (most) => ({ commands: rows.slice(0, most), total: all.length }));
  },
});

/** Recorded status, which is never `waiting`. */
async function statusNow(
  { commandId, status }: Pick<ListedCommand, "commandId" | "status">,
  { commands, sees, signal }: ToolContext,
): Promise<CommandStatus> {
  if (status !== "running") return status;
  const tracked = await commands.read(commandId, sees).catch(() => undefined);
  const waiting = await tracked?.wait({ seconds: 0, onInput: "return", signal });
  return waiting === undefined ? status : "waiting";
}

/** Lets a later server process continue the wait for a command. */
function continuesAsResult(
  { commandId, paneId }: TrackedCommand,
  asked: Omit<z.output<typeof resultInput>, "commandId">,
  context: ToolContext,
): void {
  const { onInput, maxLines, maxBytes, view, grep, context: around, fold, findings, offset, waitSeconds } =
    asked;
  const shown = { view, grep, context: around, fold, findings, offset };
  const args = { commandId, waitSeconds, onInput, maxLines, maxBytes, ...shown };
  continuesAsItself(context, {
    tool: "get-command-result",
    args,
    until: "waitSeconds",
    paneIds: [paneId],
    isSelfKnown: true,
  });
}

/** The command's state, with as much of the requested part as fits into an answer. */
async function fitResult(
  tracked: TrackedCommand,
  { shown, asked: { waiting, ...asked } }: { shown: Awaited<ReturnType<typeof outputQuery>>; asked: Asked },
  { fit }: ToolContext,
) {
  const { query, maxLines, maxBytes } = shown;
  return await fit(maxBytes, async (most) => {
    const limit = { maxLines, maxBytes: most, ...(most < maxBytes && { more: NO_ROOM }) };
    return { ...await tracked.result(limit, { query, waiting }), ...asked };
  });
}

async function startRaw({ paneId, command, delayMs }: z.output<typeof executeInput>, context: ToolContext) {
  const { tmux, commands, signal } = context;
  await checkLines(paneId, command, context);
  const snapshot = await context.snapshot();
  const type = async (): Promise<void> => {
    const how = { snapshot, enter: true, delayMs, mayType: passwordCheck(context), signal };
    await tmux.input.type(paneId, { text: command }, how);
  };
  return await commands.startRaw({ tmux, paneId, snapshot, command, type });
}

async function typeOnly({ paneId, command, delayMs }: z.output<typeof executeInput>, context: ToolContext) {
  const { tmux, commands, signal } = context;
  await checkLines(paneId, command, context);
  const snapshot = await context.snapshot();
  commands.checkAlone({ snapshot, paneId });
  const how = { snapshot, delayMs, mayType: passwordCheck(context), signal };
  await tmux.input.type(paneId, { text: command }, how);
  const status = "completed" as const;
  return { paneId, status, output: "", totalLines: 0, totalBytes: 0, elapsed: 0, paneAlive: true };
}

/**
 * Waits for a command's end and reports its last line meanwhile.
 * @param began Start of the call (`performance.now()`)
 * @param seconds Time that the call may take
 */
async function waitFor(
  tracked: TrackedCommand,
  { began, seconds, onInput }: { began: number; seconds: number; onInput: OnInput },
  context: ToolContext,
): Promise<Asked> {
  const message = (): string => excerpt(tracked.output.lastLine(), 160) || "nothing yet";
  const age = (): number => tracked.elapsed;
  using _ = reportWaiting(context, { paneId: tracked.paneId, total: seconds, began, message, age });
  return await untilSettled(tracked, { until: began + seconds * 1000, onInput }, context);
}

/**
 * @throws {AppError} `invalid-argument` for a parameter without effect, a line break that would be Enter, or a
 * `delayMs` with which typing would outlast the call
 */
function checkTyping(args: z.output<typeof executeInput>): void {
  const { command, delayMs = 0, rawMode, noEnter, timeout, onInput } = args;
  checkHasEffect(
    { ...args, onInput: onInput !== "return" },
    ["subshell", "rawMode"],
    ["subshell", "noEnter"],
    ["shell", "rawMode"],
    ["shell", "noEnter"],
    ["background", "noEnter"],
    ["onInput", "noEnter"],
    ["onInput", "background"],
  );
  if (delayMs > 0 && !rawMode && !noEnter) {
    throw new AppError("invalid-argument", "delayMs needs rawMode or noEnter", { hint: "Leave delayMs out" });
  }
  if (noEnter && /[\r\n]/.test(command)) {
    throw new AppError("invalid-argument", "Cannot type a line break with noEnter: it is Enter", {
      hint: "Call send-keys with literal to type it",
    });
  }
  const seconds = [...command].length * delayMs / 1000;
  if (seconds <= timeout) return;
  const what = `Typing this with delayMs ${delayMs} takes ${seconds} s, but timeout is ${timeout}`;
  throw new AppError("invalid-argument", what, { hint: "Give a longer timeout or a shorter delayMs" });
}
