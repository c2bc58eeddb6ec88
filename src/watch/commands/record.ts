// One command from the moment it is asked for: how it stands, and what it wrote.
import type { AppError } from "../../errors.ts";
import type { Findings } from "../../findings/find.ts";
import {
  CommandOutput,
  type CommandOutputOptions,
  type OutputLimit,
  type OutputQuery,
  type OutputView,
} from "./output.ts";
import type { CommandEnd, CommandJournal } from "../durable/journal.ts";
import type { Masks } from "../../masking/masks.ts";
import type { Spool } from "./spool.ts";
import type { Ending } from "../../process/ending.ts";
import type { WaitingProgram } from "./input_wait.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import { timerMs } from "../../timer.ts";

/** `waiting`: for input. `lost`: its end can't be known. `cancelled`: it was never run. */
export type CommandStatus = "running" | "waiting" | "completed" | "lost" | "cancelled";

/** A command's state, as its caller receives it. */
export interface CommandResult extends OutputView, Partial<Findings> {
  /** Unique across processes. */
  commandId: string;
  /** The pane it was typed into. */
  paneId: string;
  /** Its state. */
  status: CommandStatus;
  /** Exit status as the shell reports it; absent until it is completed. */
  exitCode?: number;
  /** Seconds since it was asked for, up to its end. */
  elapsed: number;
  /** False if the pane's own process ended with it. */
  paneAlive: boolean;
  /** The question of its program, with status `waiting`. */
  waiting?: WaitingProgram;
  /** Ctrl-Z has stopped its program, which has not ended. */
  stopped?: true;
  /** Why it is lost. */
  reason?: string;
}

/** Limits of a wait for a command. */
export interface CommandWait {
  seconds: number;
  /** Another end of the wait: the program's own wait for the terminal, or nothing. */
  onInput: "return" | "wait";
  signal: AbortSignal;
}

export interface CommandRecordOptions {
  commandId: string;
  paneId: string;
  /** Its text. */
  command: string;
  columns: number;
  rows: number;
  spool: Spool;
  masks?: Masks | undefined;
  /** Writes it to disk. */
  journal?: CommandJournal | undefined;
  /** When it was asked for, if that was not now (epoch ms). */
  started?: number;
  /** The server it runs on. */
  tmux: Tmux;
}

/** With findings, a longer output is shown in short: all of the answer is to take about `answer` bytes. */
const BRIEF = { from: 4096, answer: 2200, lines: 40, least: 400, rest: 250 };
const ENDS: OutputQuery = { part: "ends", from: 0, fold: "worthwhile" };

export class CommandRecord {
  readonly commandId: string;
  readonly paneId: string;
  readonly command: string;
  readonly tmux: Tmux;
  /** The shell it was typed to, where that can be seen. */
  shellPid: number | undefined;
  /** Other commands were run in a shell that it has begun: that one's prompt is no question. */
  hasInner = false;
  /** Settles when its program waits for the terminal, or at a time; absent where that can't be seen. */
  untilWaiting: ((until: number, signal: AbortSignal) => Promise<WaitingProgram | undefined>) | undefined;
  readonly #size: Pick<CommandOutputOptions, "columns" | "rows" | "masks">;
  readonly #spool: Spool;
  readonly journal: CommandJournal | undefined;
  /** Epoch milliseconds. */
  readonly started: number;
  readonly #over: PromiseWithResolvers<void> = Promise.withResolvers();
  readonly #stopped: PromiseWithResolvers<void> = Promise.withResolvers();
  #isStopped = false;
  readonly #started: number;
  #status: CommandStatus = "running";
  #exitCode: number | undefined;
  #begun = false;
  #row = 0;
  #paneAlive = true;
  #failure: AppError | undefined;
  #reason: string | undefined;
  #ended: number | undefined;
  /** Kept once it is over. */
  #findings: Promise<Findings> | undefined;
  #output: CommandOutput;

  constructor(options: CommandRecordOptions) {
    const { commandId, paneId, command, columns, rows, spool, masks, tmux, journal, started = Date.now() } =
      options;
    this.tmux = tmux;
    this.commandId = commandId;
    this.paneId = paneId;
    this.command = command;
    this.#size = { columns, rows, masks };
    this.#spool = spool;
    this.journal = journal;
    this.started = started;
    this.#started = performance.now() - (Date.now() - started);
    this.#output = new CommandOutput(this.#size, spool.keep, (bytes) => journal?.write(bytes));
  }

  /** Settles when the command is over. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Settles when its shell is back at the prompt: the command is over, or its job is stopped. */
  get left(): Promise<void> {
    return Promise.race([this.#over.promise, this.#stopped.promise]);
  }

  /** Its shell has left it as a stopped job. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  get running(): boolean {
    return this.#status === "running";
  }

  /** The error that kept it from running. */
  get failure(): AppError | undefined {
    return this.#failure;
  }

  get output(): CommandOutput {
    return this.#output;
  }

  /**
   * Settles when the command is over, when time is up, or when its program waits for the terminal; then tells for what.
   */
  async wait({ seconds, onInput, signal }: CommandWait): Promise<WaitingProgram | undefined> {
    const done = new AbortController();
    const either = AbortSignal.any([done.signal, signal]);
    const until = performance.now() + timerMs(seconds);
    const sees = onInput === "return" ? this.untilWaiting : undefined;
    const timeUp = (): Promise<undefined> => aborted(either, Math.max(until - performance.now(), 0));
    // A machine that can't be asked any more can't say that it waits.
    const noLonger = sees ? sees(until, either).catch(timeUp) : timeUp();
    const ended = (this.#isStopped ? this.over : this.left).then(() => undefined);
    const waiting = await Promise.race([ended, noLonger, aborted(signal)]).finally(() => done.abort());
    signal.throwIfAborted();
    return waiting;
  }

  /** When it ended (`performance.now`); undefined while it runs. */
  get endedAt(): number | undefined {
    return this.#ended;
  }

  /** Seconds since it was asked for, up to its end. */
  get elapsed(): number {
    return Math.round((this.#ended ?? performance.now()) - this.#started) / 1000;
  }

  /** True if the shell was given the command. */
  get begun(): boolean {
    return this.#begun;
  }

  /** The output begins on this row of the screen, from 0. */
  begin(row: number): void {
    this.#begun = true;
    this.#output = new CommandOutput(
      { ...this.#size, row: Math.min(row, this.#size.rows - 1) },
      this.#spool.keep,
      (bytes) => this.journal?.write(bytes),
    );
    this.#row = Math.min(row, this.#size.rows - 1);
  }

  /** True if some of its output is on disk. */
  get hasFile(): boolean {
    return this.#spool.hasFile;
  }

  /** Nobody can ask for it any more. */
  discard(): void {
    this.#spool[Symbol.dispose]();
  }

  /** Reported only once `restored`: the pane is as it was before. */
  async complete(exitCode?: number, restored?: Promise<void>): Promise<void> {
    await this.#end("completed", () => this.#exitCode = exitCode, restored);
  }

  /** The pane's own process ended with or under the command. */
  async paneEnded({ exitCode }: Ending): Promise<void> {
    await this.#end(exitCode === undefined ? "lost" : "completed", () => {
      this.#paneAlive = false;
      this.#exitCode = exitCode;
    });
  }

  /** Its program is stopped; what that prints later, as another job, is no output of the command. */
  async stop(restored: Promise<void>): Promise<void> {
    if (this.#ended !== undefined) return;
    this.untilWaiting = undefined;
    await restored;
    this.#isStopped = true;
    this.#stopped.resolve();
  }

  /** Nobody follows it any more, and `reason` is why. */
  async lose(reason?: string): Promise<void> {
    await this.#end("lost", () => {
      this.#output.lose();
      this.#reason = reason;
    });
  }

  /** As another server process has left it (`endedAt`: epoch ms). */
  async restore(
    { status, exitCode, paneAlive, reason, endedAt }: Omit<CommandEnd, "isCut">,
  ): Promise<void> {
    await this.#end(status, () => {
      this.#ended = this.#started + endedAt - this.started;
      this.#exitCode = exitCode;
      this.#paneAlive = paneAlive;
      this.#reason = reason;
    });
  }

  /** It was never run; `failure` is why, where that is not the caller's own wish. */
  async cancel(failure?: AppError): Promise<void> {
    await this.#end("cancelled", () => this.#failure = failure);
  }

  /**
   * How it stands, and the part of its output that is asked for; head and tail unless told.
   * @throws {AppError} what kept it from being run
   */
  async result(
    limit: OutputLimit,
    { query = ENDS, waiting }: { query?: OutputQuery | undefined; waiting?: WaitingProgram | undefined } = {},
  ): Promise<CommandResult> {
    if (this.#failure) throw this.#failure;
    await this.#output.flush();
    const asks = waiting !== undefined && this.running;
    return {
      commandId: this.commandId,
      paneId: this.paneId,
      status: asks ? "waiting" : this.#status,
      ...(asks ? { waiting } : {}),
      ...(this.#isStopped && this.running ? { stopped: true as const } : {}),
      ...(this.#exitCode === undefined ? {} : { exitCode: this.#exitCode }),
      elapsed: this.elapsed,
      paneAlive: this.#paneAlive,
      ...(this.#reason === undefined ? {} : { reason: this.#reason }),
      ...await this.#shown(query, limit),
    };
  }

  async #shown(query: OutputQuery, limit: OutputLimit): Promise<OutputView & Partial<Findings>> {
    const found = await this.#findingsFor(query);
    const view = await this.#output.view(query, limit);
    const isBrief = found !== undefined && query.part === "ends" && !query.grep &&
      Math.min(view.totalBytes, limit.maxBytes) > BRIEF.from;
    if (!isBrief) return { ...view, ...found };
    const { bytesOf, fitFindings } = await import("../../findings/find.ts");
    const findings = fitFindings(found, BRIEF.answer - BRIEF.rest - BRIEF.least);
    const room = BRIEF.answer - BRIEF.rest - bytesOf(findings);
    return {
      ...await this.#output.view(query, {
        maxLines: Math.min(limit.maxLines, BRIEF.lines),
        maxBytes: Math.min(limit.maxBytes, Math.max(room, BRIEF.least)),
      }),
      ...findings,
    };
  }

  /** None where nothing was found, unless they are asked for. */
  async #findingsFor({ findings, from, grep }: OutputQuery): Promise<Findings | undefined> {
    const hasFailed = this.#exitCode !== undefined && this.#exitCode !== 0;
    const isDue = findings ?? (hasFailed && from === 0 && !grep);
    if (!isDue) return undefined;
    const reading = this.#findings ?? this.#output.findings(hasFailed);
    if (this.#ended !== undefined) this.#findings = reading;
    const found = await reading;
    return found.findingsTotal > 0 || findings ? found : undefined;
  }

  get status(): CommandStatus {
    return this.#status;
  }

  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  /** The shell has it: from here on a later server finds it. */
  openJournal(promptRow?: number): void {
    this.journal?.open({
      row: this.#row,
      ...(promptRow === undefined ? {} : { promptRow }),
      ...(this.shellPid === undefined ? {} : { shellPid: this.shellPid }),
    });
  }

  #journalEnd(status: CommandStatus): void {
    if (status !== "completed" && status !== "lost") return this.journal?.discard();
    this.journal?.end({
      status,
      exitCode: this.#exitCode,
      paneAlive: this.#paneAlive,
      reason: this.#reason,
      isCut: this.#output.isLossy,
      endedAt: this.started + Math.round((this.#ended ?? performance.now()) - this.#started),
    });
  }

  async #end(status: CommandStatus, note: () => void, restored?: Promise<void>): Promise<void> {
    if (this.#ended !== undefined) return;
    this.#ended = performance.now();
    note();
    await Promise.all([this.#output.finish(), restored]);
    this.#journalEnd(status);
    this.#status = status;
    this.#over.resolve();
  }
}

/** Settles when a signal is aborted, or after some time. */
async function aborted(signal: AbortSignal, ms?: number): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
  signal.addEventListener("abort", () => resolve(), { once: true });
  if (!signal.aborted) await promise;
  clearTimeout(timer);
}
