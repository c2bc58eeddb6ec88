// One command, from the request on: its state and its output.
import { CommandOutput, type CommandOutputOptions, type OutputQuery } from "./output.ts";
import type { OutputLimit } from "./output_ends.ts";
import {
  type CommandEvent,
  type CommandOutcome,
  type CommandState,
  next,
  NOT_GIVEN,
} from "./command_state.ts";
import { type CommandWait, waitForCommand } from "./command_wait.ts";
import { Latch } from "./latch.ts";
import type { CommandJournal } from "./durable/journal.ts";
import type { StoredCommand } from "./durable/stored_command.ts";
import type { Masks } from "../masking/masks.ts";
import { ShownOutput } from "./shown_output.ts";
import type { OutputStore } from "./output_store.ts";
import type { CommandResult, CommandStatus } from "./command_result.ts";
import type { WaitingProgram } from "../watch/handed_over.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { within } from "../timer.ts";

export interface TrackedCommandOptions {
  commandId: string;
  paneId: string;
  command: string;
  columns: number;
  rows: number;
  storage: OutputStore;
  masks?: Masks | undefined;
  /** Writes the command to disk. */
  journal?: CommandJournal | undefined;
  /** Time of the request (epoch ms); absent: now. */
  started?: number;
  tmux: Tmux;
}

const ENDS: OutputQuery = { part: "ends", from: 0, fold: "worthwhile" };

/** Time (ms) for a shell to take a command as this process ends, and as much again to end the loader. */
const TAKEN_MS = 700;
/** Time (ms) for tmux to put the pane back in order. */
const FREE_MS = 1000;

export class TrackedCommand {
  readonly commandId: string;
  readonly paneId: string;
  readonly command: string;
  readonly tmux: Tmux;
  /** Pid of the shell that it was typed to, where that is visible. */
  shellPid: number | undefined;
  /** It and the commands in whose shells it runs, with the secrets of their marks, as far as this process knows them. */
  marked: readonly { tracked: TrackedCommand; secret: string }[] = [];
  /** Shell that it started, once commands have run there; its prompt is no question. `named`: by the caller, if unseen. */
  inner: { named: string | undefined } | undefined;
  /** Ends what was typed of it; it counts only while its shell does not have the command. */
  giveUp: (() => void) | undefined;
  /** Ends what observes it and keeps a process running, as that leaves it to a later server. */
  letGo: (() => void) | undefined;
  /** Returns the program that waits for the terminal, undefined at the deadline; absent where none can be seen. */
  untilWaiting: ((until: number, signal: AbortSignal) => Promise<WaitingProgram | undefined>) | undefined;
  #size: Pick<CommandOutputOptions, "columns" | "rows" | "masks">;
  readonly #storage: OutputStore;
  readonly journal: CommandJournal | undefined;
  /** Epoch milliseconds. */
  readonly started: number;
  readonly #over = new Latch();
  readonly #left = new Latch();
  readonly #started: number;
  readonly #detached = new Latch();
  /** Opened once its output begins or it is over. */
  readonly #taken = new Latch();
  #isDetached = false;
  #state: CommandState = { name: "typing" };
  #row: number | undefined;
  #ended: number | undefined;
  readonly #shown = new ShownOutput(this);
  #output: CommandOutput;

  constructor(options: TrackedCommandOptions) {
    const { columns, rows, storage, masks, journal, started = Date.now() } = options;
    this.tmux = options.tmux;
    this.commandId = options.commandId;
    this.paneId = options.paneId;
    this.command = options.command;
    this.#size = { columns, rows, masks };
    this.#storage = storage;
    this.journal = journal;
    this.started = started;
    this.#started = performance.now() - Math.max(Date.now() - started, 0);
    this.#output = new CommandOutput(this.#size, storage.keep, (bytes) => journal?.write(bytes));
  }

  get over(): Promise<void> {
    return this.#over.opened;
  }

  /** Settles when the shell is back at its prompt: the command is over, or its job is stopped. */
  get left(): Promise<void> {
    return this.#left.opened;
  }

  /** Calls `act` when the command is over. Returns a function that withdraws the call. */
  whenOver(act: () => void): () => void {
    return this.#over.onOpen(act);
  }

  /** Calls `act` when the shell is back at its prompt. Returns a function that withdraws the call. */
  whenLeft(act: () => void): () => void {
    return this.#left.onOpen(act);
  }

  get state(): CommandState["name"] {
    return this.#state.name;
  }

  get running(): boolean {
    return this.#state.name !== "over";
  }

  /** Outcome of the command; undefined while it runs. */
  get outcome(): CommandOutcome | undefined {
    return this.#state.name === "over" ? this.#state.outcome : undefined;
  }

  get output(): CommandOutput {
    return this.#output;
  }

  /**
   * Waits until the command is over, time is up, or its program waits for the terminal. Returns the waiting program,
   * if any.
   */
  async wait(limits: CommandWait): Promise<WaitingProgram | undefined> {
    const end = this.state === "stopped" ? this.#over : this.#left;
    return await waitForCommand(this, [end, this.#detached], limits);
  }

  /** Time of its end (`performance.now()`); undefined while it runs. */
  get endedAt(): number | undefined {
    return this.#ended;
  }

  /** Seconds from the request to its end, or until now. */
  get elapsed(): number {
    return Math.round((this.#ended ?? performance.now()) - this.#started) / 1000;
  }

  /** True if the shell was given the command. */
  get begun(): boolean {
    return this.#row !== undefined;
  }

  /** Begins the output on this row of the screen, from 0. */
  begin(row: number): void {
    this.#row = this.#rowOnScreen(row);
    const copy = (bytes: Uint8Array): void => this.journal?.write(bytes);
    this.#output = new CommandOutput({ ...this.#size, row: this.#row }, this.#storage.keep, copy);
  }

  resize(columns: number, rows: number): void {
    this.#size = { ...this.#size, columns, rows };
    this.#output.resize(columns, rows);
  }

  /** True if some of its output is in a file. */
  get hasFile(): boolean {
    return this.#storage.hasFile;
  }

  /** Frees its output: nothing can request it any more. */
  discard(): void {
    this.#storage[Symbol.dispose]();
  }

  /**
   * Ends the waits of callers as this process ends and the command keeps running, provided that a later server can
   * find it. A command that its shell does not have in time is given up: nobody else could give it to the shell.
   */
  async detach(): Promise<void> {
    await within(this.#taken.opened, { ms: TAKEN_MS });
    if (NOT_GIVEN.includes(this.state)) {
      this.giveUp?.();
      return void await within(this.over, { ms: TAKEN_MS });
    }
    if (!await this.journal?.detach()) return;
    this.#isDetached = true;
    this.letGo?.();
    this.#detached.open();
  }

  /** Gives up the command, unless that is under way; settles once its pane is free, or if tmux does not answer. */
  async abandon(): Promise<void> {
    await this.leave({ kind: "notRun" });
    await within(this.over, { ms: FREE_MS });
  }

  /** Applies an event; returns false if it does not count in this state. */
  take(event: CommandEvent): boolean {
    // The pane is no longer followed because this process is ending.
    if (this.#isDetached && event.kind === "failed") return false;
    const before = this.#state;
    this.#state = next(before, event);
    if (!NOT_GIVEN.includes(this.state) && this.state !== "starting") this.#taken.open();
    if (this.#state.name === "ending") this.#ended ??= performance.now();
    return this.#state !== before;
  }

  /** Applies an event that frees the shell; it is reported only once `restore` has put the pane back in order. */
  async leave(event: CommandEvent, restore?: () => Promise<unknown>): Promise<void> {
    if (!this.take(event)) return;
    const restored = restore?.();
    if (this.#state.name === "stopped") {
      // Later output of the job does not belong to the command.
      this.untilWaiting = undefined;
      await restored;
      return this.#left.open();
    }
    if (event.kind === "failed") this.#output.lose();
    // Whatever fails, the pane must become free.
    const finished = this.#output.finish().catch(() => this.#output.lose());
    await Promise.all([finished.then(() => this.#journalEnd()), restored]);
    this.take({ kind: "settled" });
    this.#left.open();
    this.#over.open();
  }

  /** Applies the command's end under another server process. `endedAt`: epoch ms, of a clock that may be set back. */
  async restore(outcome: CommandOutcome, endedAt: number): Promise<void> {
    this.#ended ??= this.#started + Math.max(endedAt - this.started, 0);
    await this.leave({ kind: "restored", outcome });
  }

  /**
   * Returns its state and the requested part of its output; beginning and end by default.
   * @throws {AppError} the failure that kept the command from running
   */
  async result(
    limit: OutputLimit,
    { query = ENDS, waiting }: { query?: OutputQuery | undefined; waiting?: WaitingProgram | undefined } = {},
  ): Promise<CommandResult> {
    if (this.outcome?.failure) throw this.outcome.failure;
    // Another call may drop the command while a long output is searched.
    using _ = this.#storage.hold();
    await this.#output.flush();
    const { outcome } = this;
    const isWaiting = waiting !== undefined && this.running;
    return {
      commandId: this.commandId,
      paneId: this.paneId,
      status: isWaiting ? "waiting" : this.status,
      ...(isWaiting ? { waiting } : {}),
      ...(this.state === "stopped" ? { stopped: true as const } : {}),
      ...(outcome?.exitCode === undefined ? {} : { exitCode: outcome.exitCode }),
      elapsed: this.elapsed,
      paneAlive: outcome?.paneAlive ?? true,
      ...(outcome?.reason === undefined ? {} : { reason: outcome.reason }),
      ...await this.#shown.show(query, limit),
    };
  }

  get status(): CommandStatus {
    return this.outcome?.status ?? "running";
  }

  get exitCode(): number | undefined {
    return this.outcome?.exitCode;
  }

  get reason(): string | undefined {
    return this.outcome?.reason;
  }

  /** Opens its record on disk: from now on a later server finds the command. */
  openJournal(
    { row = 0, ...prompt }: Partial<Pick<StoredCommand, "row" | "promptRow" | "promptLine">> = {},
  ): void {
    this.journal?.open({
      row: this.#rowOnScreen(row),
      ...prompt,
      ...(this.shellPid === undefined ? {} : { shellPid: this.shellPid }),
    });
  }

  #rowOnScreen(row: number): number {
    return Math.min(row, this.#size.rows - 1);
  }

  #journalEnd(): void {
    if (!("outcome" in this.#state)) return;
    const { status, exitCode, paneAlive, reason } = this.#state.outcome;
    if (status === "cancelled") return this.journal?.discard();
    const endedAt = this.started + Math.round((this.#ended ?? performance.now()) - this.#started);
    this.journal?.end({ status, exitCode, paneAlive, reason, isCut: this.#output.isLossy, endedAt });
  }
}
