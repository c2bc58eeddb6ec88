/**
 * The engine of the server as a library: run commands in tmux panes, watch panes, and ask whether a program waits
 * for input. It loads nothing of MCP.
 *
 * ```ts
 * import { connectTmux } from "jsr:@tmux-mcp/server/connection";
 *
 * await using tmux = connectTmux({ env: Deno.env.toObject() });
 * const { paneId } = await tmux.createSession({ name: "build" });
 * const { exitCode, output } = await tmux.run(paneId, "npm test", { timeout: 600 });
 * ```
 *
 * Every method throws an {@linkcode AppError} whose `code` says why it failed, such as `not-found` for an unknown
 * pane id, and whose `hint` is the next step. docs/library.md has programs to start from, and the flags they need.
 * @module
 */
import { completeOptions } from "../config.ts";
import { Engine } from "../engine.ts";
import { AppError, notFound } from "../errors.ts";
import { idKind } from "../ids.ts";
import type { ListeningPort } from "../process/listening.ts";
import { type CreatedSession, type NewSession } from "../tmux/objects/sessions.ts";
import type { TypedInput } from "../tmux/objects/input.ts";
import { temporaryFolder } from "../temporary_folder.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { Commands } from "../commands/commands.ts";
import type { TrackedCommand } from "../commands/tracked_command.ts";
import type { CommandResult } from "../commands/command_result.ts";
import { ALL_OUTPUT_BYTES, OutputStore } from "../commands/output_store.ts";
import type { WatchResult } from "../watch/inbox.ts";
import type { PaneState } from "../watch/protocol.ts";
import type { WatchProgress } from "../watch/watch.ts";
import type { WatchSource } from "../watch/watch_source.ts";
import type { Listening } from "../watch/pane_activity.ts";
import { STANDARD_TRIGGERS } from "../vocabulary.ts";

import type {
  ConnectOptions,
  PaneEntry,
  RunOptions,
  StartOptions,
  TmuxConnection,
  WaitOptions,
  WatchCallOptions,
} from "./types.ts";

export { AppError, type AppErrorOptions, ERROR_CODES, type ErrorCode } from "../errors.ts";
export { ConfigError } from "../config.ts";
export type { Findings } from "../findings/find.ts";
export type { Severity, ToolFinding } from "../findings/finding.ts";
export type { InputKind, Work } from "../process/classify.ts";
export type { Ending } from "../process/ending.ts";
export type { PaneInspection, ReadSleep, ReportedInspection } from "../process/probe.ts";
export type { NewProgram } from "../tmux/new_program.ts";
export type { TerminalReader } from "../process/input_wait.ts";
export type { WaitingProgram } from "../watch/handed_over.ts";
export type { OutputView } from "../commands/output.ts";
export type { CommandStatus } from "../commands/command_result.ts";
export type { HandedOver } from "../watch/handed_over.ts";
export type {
  CommandResult,
  CreatedSession,
  Listening,
  ListeningPort,
  NewSession,
  PaneState,
  TypedInput,
  WatchProgress,
  WatchResult,
};
export type {
  ConnectOptions,
  PaneEntry,
  RunOptions,
  StartOptions,
  TmuxConnection,
  WaitOptions,
  WatchCallOptions,
} from "./types.ts";

const USUAL_SECONDS = 50;
const USUAL_LINES = 2000;
const USUAL_BYTES = 65_536;

/**
 * Connects to a tmux server; nothing runs before the first call.
 * @throws {ConfigError} for an unknown option or an invalid value
 * @throws {AppError} `unsupported` if the C library can't be loaded
 */
export function connectTmux({ env, ...callerOptions }: ConnectOptions): TmuxConnection {
  // Records on disk are for servers that are started again; a program keeps its own.
  const options = completeOptions({ ...callerOptions, durableEnabled: false });
  const engine = new Engine({ options, env });
  const shared = { left: ALL_OUTPUT_BYTES };
  const folder = temporaryFolder(env);
  const commands = new Commands({
    ...options,
    ids: engine.ids,
    supervisor: engine.supervisor,
    watches: engine.watches,
    locks: engine.locks,
    newOutputStore: () => new OutputStore({ memory: options.maxOutputBytes, shared, folder }),
    records: undefined,
    recovered: undefined,
  });
  return new EngineConnection(engine, commands);
}

class EngineConnection implements TmuxConnection {
  readonly #engine: Engine;
  readonly #commands: Commands;
  #closing: Promise<void> | undefined;

  constructor(engine: Engine, commands: Commands) {
    this.#engine = engine;
    this.#commands = commands;
  }

  async listPanes(): Promise<PaneEntry[]> {
    return (await this.#tmux.panes.infos()).map((pane) => ({
      paneId: pane.id,
      sessionId: pane.sessionId,
      sessionName: pane.sessionName,
      windowId: pane.windowId,
      currentCommand: pane.currentCommand,
      currentPath: pane.currentPath,
      width: pane.width,
      height: pane.height,
      dead: pane.dead,
    }));
  }

  async createSession(session: NewSession = {}): Promise<CreatedSession> {
    return await this.#tmux.sessions.create(session);
  }

  async killSession(session: string): Promise<void> {
    const tmux = this.#tmux;
    await tmux.sessions.kill(await tmux.sessions.idOf(session, () => tmux.snapshot()));
  }

  async run(paneId: string, command: string, options: RunOptions = {}): Promise<CommandResult> {
    checkTimeout(options);
    const tmux = this.#tmux;
    const { timeout = USUAL_SECONDS, signal = never() } = options;
    const snapshot = await tmux.snapshot();
    const tracked = await this.#commands.start({ tmux, snapshot, paneId, command, timeout, signal });
    return await settled(tracked, { ...options, timeout });
  }

  async result(commandId: string, options: RunOptions = {}): Promise<CommandResult> {
    checkTimeout(options);
    return await settled(await this.#commands.read(commandId), options);
  }

  async start(paneId: string, command: string, options: StartOptions = {}): Promise<WatchResult> {
    checkTimeout(options);
    const { timeout = USUAL_SECONDS, signal = never() } = options;
    const tmux = this.#tmux;
    const source = await this.#commands.source({ tmux, paneId, command, timeout, signal });
    return await this.#watch(source, { ...options, tmux });
  }

  async watch(paneIds: string | readonly string[], options: WatchCallOptions = {}): Promise<WatchResult> {
    checkTimeout(options);
    const tmux = this.#tmux;
    const ids = [paneIds].flat();
    for (const paneId of ids) checkPaneId(paneId);
    if (ids.length === 0) throw new AppError("invalid-argument", "Cannot watch no pane", { hint: LIST });
    const source = await this.#engine.watches.paneSource(tmux, ids);
    return await this.#watch(source, { ...options, tmux });
  }

  async state(paneId: string): Promise<PaneState & Listening> {
    return await this.#engine.watches.state(this.#tmux, paneId, { ports: true });
  }

  async capture(paneId: string, { lines }: { lines?: number } = {}): Promise<string> {
    checkPaneId(paneId);
    const { capture } = this.#tmux;
    const shown = lines === undefined ? capture.lines(paneId) : capture.lastLines(paneId, lines, {});
    return (await shown).join("\n");
  }

  async type(
    paneId: string,
    input: string | TypedInput,
    { enter = false }: { enter?: boolean } = {},
  ): Promise<void> {
    const tmux = this.#tmux;
    const snapshot = await tmux.snapshot();
    const { keyMode = "" } = snapshot.panes.find((pane) => pane.paneId === paneId) ?? {};
    const sending = { version: snapshot.version, keyMode };
    const given = typeof input === "string" ? { text: input } : input;
    // tmux types what is no name of a key.
    const typed = "text" in given
      ? given
      : { keys: given.keys.flatMap((key) => tmux.input.parseKeys(key, sending)) };
    await tmux.input.type(paneId, typed, { snapshot, enter });
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    await this.#commands.detach();
    await this.#engine.close();
    this.#commands.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #tmux(): Tmux {
    return this.#engine.connect();
  }

  async #watch(
    source: WatchSource,
    { tmux, triggers = STANDARD_TRIGGERS, pattern, timeout = USUAL_SECONDS, signal = never(), progress }:
      & StartOptions
      & { tmux: Tmux },
  ): Promise<WatchResult> {
    const { watches } = this.#engine;
    const parsed = await watches.triggers(triggers, pattern);
    const request = { tmux, triggers: parsed, timeout, ...(progress && { progress }) };
    const result = await watches.run(source, request, signal);
    signal.throwIfAborted();
    return result;
  }
}

/** Returns the state of a command once it is over, waits for input, or time is up. */
async function settled(
  tracked: TrackedCommand,
  { timeout = 0, onInput = "return", maxLines = USUAL_LINES, maxBytes = USUAL_BYTES, signal = never() }:
    RunOptions,
): Promise<CommandResult> {
  const waiting = await tracked.wait({ seconds: timeout, onInput, signal });
  return await tracked.result({ maxLines, maxBytes }, { waiting });
}

const LIST = "Give ids that listPanes returns";

/** tmux itself takes the name of a session, or its beginning, for that session's current pane. */
function checkPaneId(paneId: string): void {
  if (idKind(paneId) !== "pane") throw notFound("pane", paneId);
}

function checkTimeout({ timeout = 0 }: WaitOptions): void {
  if (timeout >= 0) return;
  throw new AppError("invalid-argument", `Invalid timeout ${timeout}: expected at least 0`, {
    hint: "Give the seconds to wait; 0 looks once",
  });
}

function never(): AbortSignal {
  return new AbortController().signal;
}
