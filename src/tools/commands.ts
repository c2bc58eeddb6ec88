// Tools that run commands in panes' shells.
import { z } from "zod";
import { AppError } from "../errors.ts";
import { excerpt } from "../excerpt.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import type { CommandRecord } from "../watch/commands/record.ts";
import { paneId } from "./params.ts";
import { commandResult } from "./shapes.ts";

const SHELLS = ["bash", "zsh", "fish", "sh", "dash", "ash", "ksh", "mksh"] as const;
const PROGRESS_MS = 1000;
const MAX_RESULT_CHARS = 200_000;

const limits = {
  maxLines: z.int().min(0).default(2000).describe("At most this many lines of output"),
  maxBytes: z.int().min(0).default(65_536).describe("At most this many bytes of output"),
};

const executeInput = z.strictObject({
  paneId,
  command: z.string().describe("Shell text, several lines too"),
  timeout: z.number().min(0).default(50).describe("Seconds to wait"),
  background: z.boolean().default(false).describe("Answer a commandId as soon as it runs"),
  ...limits,
  subshell: z.boolean().default(false).describe("Run in ( … ): cd and variables do not stay"),
  shell: z.enum(SHELLS).optional().describe(
    "The pane's shell, where it can't be seen (ssh, docker)",
  ),
  rawMode: z.boolean().default(false).describe(
    "Type as is, for what is no shell; no exit code",
  ),
  noEnter: z.boolean().default(false).describe("Type it and do not send it"),
  delayMs: z.int().min(0).max(10_000).optional().describe(
    "Between characters, with rawMode or noEnter",
  ),
  suppressHistory: z.boolean().default(true).describe("Keep it out of the shell's history"),
});

export const executeCommand = defineTool({
  name: "execute-command",
  title: "Execute command",
  description:
    "Run a shell command in a pane, wait for its end, and get its exit code and whole output. It runs in the pane's own " +
    "shell, so cd and export stay. What takes longer than timeout goes on, as with background: read it with get-command-result. " +
    "For a server that should stay up use start-and-watch, inside a REPL run-in-repl.",
  layer: 1,
  agentic: true,
  groups: ["execute"],
  effect: "input",
  input: executeInput,
  output: commandResult,
  alwaysLoad: true,
  maxResultSizeChars: MAX_RESULT_CHARS,
  targets: ({ paneId }) => [{ kind: "pane", id: paneId }],
  shellText: ({ command }) => [{ kind: "command", text: command }],
  async run(args, context) {
    const { rawMode, noEnter, delayMs, background, timeout, maxLines, maxBytes } = args;
    if (delayMs !== undefined && !rawMode && !noEnter) throw needsRaw();
    if (noEnter) return await typeOnly(args, context);
    const began = performance.now();
    const record = rawMode ? await startRaw(args, context) : await context.commands.start({
      tmux: context.tmux,
      paneId: args.paneId,
      survey: await context.survey(),
      command: args.command,
      subshell: args.subshell,
      keepHistory: !args.suppressHistory,
      shell: args.shell,
      patienceMs: timeout * 1000,
      signal: context.signal,
    });
    if (!background) await waitFor(record, { began, seconds: timeout }, context);
    return await record.result({ maxLines, maxBytes });
  },
});

export const getCommandResult = defineTool({
  name: "get-command-result",
  title: "Get command result",
  description: "Read how a command of execute-command or start-and-watch stands, and its output so far. " +
    "waitSeconds waits for its end; offset reads on where an answer left lines out.",
  layer: 1,
  agentic: true,
  groups: ["execute"],
  effect: "read",
  input: z.strictObject({
    commandId: z.string().min(1).describe("From execute-command or start-and-watch"),
    waitSeconds: z.number().min(0).default(0).describe("Wait this long for the command to end"),
    offset: z.int().min(0).optional().describe("First line to read, from 0; none reads head and tail"),
    ...limits,
  }),
  output: commandResult,
  maxResultSizeChars: MAX_RESULT_CHARS,
  targets: () => [],
  async run({ commandId, waitSeconds, offset, maxLines, maxBytes }, context) {
    const record = await context.commands.read(commandId);
    await waitFor(record, { began: performance.now(), seconds: waitSeconds }, context);
    return await record.result({ maxLines, maxBytes }, offset);
  },
});

async function startRaw({ paneId, command, delayMs }: z.output<typeof executeInput>, context: ToolContext) {
  const { tmux, commands, signal } = context;
  const survey = await context.survey();
  const type = async (): Promise<void> => {
    await tmux.input.type(paneId, { text: command }, { survey, enter: true, delayMs, signal });
  };
  return await commands.startRaw({ tmux, paneId, survey, type });
}

async function typeOnly({ paneId, command, delayMs }: z.output<typeof executeInput>, context: ToolContext) {
  const { tmux, signal } = context;
  await tmux.input.type(paneId, { text: command }, { survey: await context.survey(), delayMs, signal });
  return {
    commandId: "none",
    paneId,
    status: "completed" as const,
    output: "",
    totalLines: 0,
    totalBytes: 0,
    elapsed: 0,
    paneAlive: true,
  };
}

/** Waits for a command's end, and tells its last line meanwhile; the call `began` then (`performance.now()`) and may take `seconds`. */
async function waitFor(
  record: CommandRecord,
  { began, seconds }: { began: number; seconds: number },
  { signal, progress }: ToolContext,
): Promise<void> {
  const passed = (): number => (performance.now() - began) / 1000;
  const timer = progress && setInterval(() => {
    const { paneId, elapsed } = record;
    const message = `[${paneId} +${elapsed.toFixed(1)}s] ${
      excerpt(record.output.lastLine(), 160) || "nothing yet"
    }`;
    progress({ elapsed: passed(), total: seconds, message });
  }, PROGRESS_MS);
  try {
    await record.wait(Math.max(seconds - passed(), 0), signal);
  } finally {
    clearInterval(timer);
  }
}

function needsRaw(): AppError {
  return new AppError("invalid-argument", "delayMs goes with rawMode or noEnter only", {
    hint: "Leave delayMs out",
  });
}
