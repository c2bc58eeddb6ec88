// A command that another server process ran, read from disk: as it ended, or on to its end.
import type { RecordStore } from "../../durable/record_store.ts";
import { paneGone } from "../../errors.ts";
import { findDone } from "../../shell/marks.ts";
import { pipeToSpool, type SpoolFile } from "../../tmux/spool_pipe.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import { untilAsked } from "../commands/input_wait.ts";
import type { WaitingProgram } from "../commands/command_result.ts";
import { CommandRecord } from "../commands/record.ts";
import type { Spool } from "../commands/spool.ts";
import { readFollowedScreen } from "../followed_screen.ts";
import { endingOf, findPanes, type FoundPane } from "../pane_refs.ts";
import { trimSpool } from "./journal.ts";
import { readShown, showsPrompt, startLate } from "./late_pipe.ts";
import { exitStatus } from "../../shell/marks.ts";
import {
  ELSEWHERE,
  hashSecret,
  PIPED,
  SERVER_GONE,
  serverKeyOf,
  serverPidOf,
  type StoredCommand,
} from "./stored_command.ts";
import { bestEffort } from "../../promises.ts";

export interface RecoveredCommandOptions {
  store: RecordStore;
  stored: StoredCommand;
  spool: Spool;
  tmux: Tmux;
  /** A process that had records of a tmux server is dead; another one may have the socket of that now. */
  abandoned(tmux: Tmux, serverKey: string): Promise<void>;
  /** Files that a tmux server's pipes copy to, and how large each may become. */
  spoolsPiped(serverPid: number): SpoolFile[];
  /** Ends the pipe of a tmux server that copies to this file. */
  endPipe(serverPid: number, path: string): void;
}

const READ_BYTES = 1 << 20;
const TICK_MS = 200;
/** The pane is inspected once in this many ticks. */
const PANE_TICKS = 5;
const CUT_AT_START =
  "Its server ended as the command began, and the command ended before another server came";
/** The mark that ends a command follows its exit status within this many ticks, if a pipe copies it. */
const MARK_LOOKS = 2;
const UNCOPIED = "Nothing copied what it printed when it ended";
const INTERRUPTED = "Its shell was interrupted while no server watched it, and never reported an exit code";
const UNMARKED = "It was typed without marks (rawMode), and its server ended before it was over";
const PANE_GONE = "Its pane was closed while no server watched it";

export class RecoveredCommand {
  readonly record: CommandRecord;
  readonly #options: RecoveredCommandOptions;
  #stored: StoredCommand;
  #piece = 0;
  #offset = 0;
  /** Bytes that may begin the mark that ends the output. */
  #held: Uint8Array = new Uint8Array(0);
  #isDone = false;
  #tail = "";
  #atPrompt = 0;
  /** Looks in a row at which no pipe copied to its file. */
  #uncopied = 0;
  /** The screen is being written to piece 0, and a new pipe's copy follows it. */
  #isJoining = false;
  /** Somebody else's pipe has the pane. */
  #isTaken = false;
  /** Looks in a row at which its exit status was known. */
  #ended = 0;
  #tick = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #reading: Promise<void> | undefined;
  #looking: Promise<void> | undefined;

  constructor(options: RecoveredCommandOptions) {
    this.#options = options;
    const { stored, spool, tmux } = options;
    this.#stored = stored;
    const { id: commandId, paneId, command, columns, rows, started } = stored;
    this.record = new CommandRecord({ commandId, paneId, command, columns, rows, spool, started, tmux });
    this.record.begin(stored.row);
    this.record.shellPid = stored.shellPid;
    this.record.untilWaiting = (until, signal) => this.#untilAsked(until, signal);
  }

  /** Settles when what is on disk now is in the record; from then on it continues by itself while the command runs. */
  async follow(): Promise<void> {
    await this.catchUp();
    if (!this.record.running || this.#timer !== undefined) return;
    // The sooner a pipe copies its output, the more is known of its end.
    void this.#next();
    this.#timer = setInterval(() => void this.#next(), TICK_MS);
    Deno.unrefTimer(this.#timer);
  }

  /** Ends the pipe of a command that has ended, and cuts off what it copied after that. */
  static endPipe(
    { id, piped }: StoredCommand,
    { store, endPipe }: Pick<RecoveredCommandOptions, "store" | "endPipe">,
  ): void {
    const path = store.fileBeside(id, String(PIPED));
    if (path === undefined || sizeOf(path) === undefined) return;
    endPipe(serverPidOf(id), path);
    if (piped !== undefined) trimSpool(path, piped);
  }

  close(): void {
    clearInterval(this.#timer);
    this.record.discard();
  }

  /** One reader at a time. */
  async catchUp(): Promise<void> {
    this.#reading ??= this.#catchUp().finally(() => this.#reading = undefined);
    await this.#reading;
  }

  /** @throws {AppError} where nobody can see whether its program asks */
  async #untilAsked(until: number, signal: AbortSignal): Promise<WaitingProgram | undefined> {
    const { tmux } = this.#options;
    const { paneId, panePid, shellPid } = this.#stored;
    const [pane] = await findPanes(tmux, [paneId]);
    if (shellPid === undefined || pane?.panePid !== panePid) throw paneGone(paneId);
    const shell = { pid: shellPid, inspect: () => tmux.machine.inspector.inspect(pane) };
    const isAtPrompt = async (): Promise<boolean> => {
      await this.catchUp();
      return !this.record.running || this.#mayBeAtPrompt;
    };
    const screen = () => readFollowedScreen({ send: (commands) => tmux.run(commands) }, paneId);
    return await untilAsked({ record: this.record, shell, isAtPrompt, screen }, { until, signal });
  }

  /** A shell that waits may read for its command (`read x`): it counts as back where nothing else can be. */
  get #mayBeAtPrompt(): boolean {
    return this.#tail.includes("^C") || (this.#owns && !this.#isPiped);
  }

  get #isPiped(): boolean {
    return sizeOf(this.#path(PIPED)) !== undefined;
  }

  async #next(): Promise<void> {
    await this.catchUp();
    if (!this.record.running) return clearInterval(this.#timer);
    if (this.#tick++ % PANE_TICKS !== 0) return;
    this.#looking ??= this.#look().finally(() => this.#looking = undefined);
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { store, abandoned, tmux } = this.#options;
    const { id } = this.#stored;
    if (store.isAbandoned(id)) await bestEffort(abandoned(tmux, serverKeyOf(id)));
    if (this.#owns) await bestEffort(this.#checkPane());
    else if (store.isElsewhere(id)) await bestEffort(this.#checkServer());
  }

  get #owns(): boolean {
    return this.#options.store.owns(this.#stored.id);
  }

  async #catchUp(): Promise<void> {
    const { store } = this.#options;
    // Read first: once it says that the command has ended, all of the output is there.
    const { isCut } = this.#stored;
    this.#stored = { ...store.read<StoredCommand>(this.#stored.id) ?? this.#stored, ...(isCut && { isCut }) };
    const { ended } = this.#stored;
    for (;;) {
      const bytes = this.#read();
      if (bytes) {
        await this.#take(bytes);
        await this.record.output.flush();
      } else if (this.#hasNextPiece()) {
        this.#checkLength();
        this.#piece++;
        this.#offset = 0;
        // Its server was killed before it had written what was printed before the pipe.
        if (this.#piece > this.#stored.piece) {
          this.#stored = { ...this.#stored, piece: this.#piece, isCut: true };
        }
      } else break;
    }
    if (ended === undefined) return;
    this.#checkLength();
    await this.#end(this.#stored, ended);
  }

  /** The pipe has copied less than its command printed: the disk was full, or the file as large as it may be. */
  #checkLength(): void {
    const { piped = 0 } = this.#stored;
    if (this.#piece === PIPED && this.#offset < piped) this.#stored = { ...this.#stored, isCut: true };
  }

  /** Its server may have started the pipe and been killed before it could record that. */
  #hasNextPiece(): boolean {
    if (this.#stored.piece > this.#piece) return true;
    return this.#piece < PIPED && !this.#isJoining && this.#owns && sizeOf(this.#path(PIPED)) !== undefined;
  }

  #path(piece: number): string | undefined {
    return this.#options.store.fileBeside(this.#stored.id, String(piece));
  }

  #read(): Uint8Array | undefined {
    const path = this.#path(this.#piece);
    const { piped = Infinity } = this.#stored;
    const left = this.#piece === PIPED ? piped - this.#offset : Infinity;
    if (path === undefined || left <= 0 || sizeOf(path) === undefined) return undefined;
    using file = Deno.openSync(path);
    file.seekSync(this.#offset, Deno.SeekMode.Start);
    const bytes = new Uint8Array(Math.min(READ_BYTES, left));
    const count = file.readSync(bytes) ?? 0;
    this.#offset += count;
    return count === 0 ? undefined : bytes.subarray(0, count);
  }

  async #take(bytes: Uint8Array): Promise<void> {
    if (this.#isDone) return;
    const isKnown = this.#piece !== PIPED || this.#stored.piped !== undefined;
    if (isKnown || this.#stored.doneHash === undefined) return this.#push(bytes);
    const all = new Uint8Array(this.#held.length + bytes.length);
    all.set(this.#held);
    all.set(bytes, this.#held.length);
    for (let from = 0;;) {
      const found = findDone(all, from);
      if (found === undefined || "open" in found) {
        const whole = found?.open ?? all.length;
        this.#held = all.slice(whole);
        return this.#push(all.subarray(0, whole));
      }
      if (await hashSecret(found.secret) === this.#stored.doneHash) {
        this.#push(all.subarray(0, found.at));
        return await this.#done(found.status, this.#offset - all.length + found.at);
      }
      from = found.next;
    }
  }

  #push(bytes: Uint8Array): void {
    this.record.output.push(bytes);
    this.#tail = (this.#tail + new TextDecoder("latin1").decode(bytes.subarray(-64))).slice(-64);
  }

  /** The mark that ends the command stands at this offset of the spool. */
  async #done(exitCode: number, piped: number): Promise<void> {
    this.#isDone = true;
    // Whoever answers for it says so.
    if (this.#owns) await this.#settle({ status: "completed", exitCode, piped });
  }

  async #settle(end: Pick<StoredCommand, "status"> & Partial<StoredCommand>): Promise<void> {
    const ended = Date.now();
    const isCut = this.#stored.isCut ?? (end.status === "lost" ? true : undefined);
    this.#stored = {
      ...this.#stored,
      ...end,
      ...(isCut && { isCut }),
      ended,
      piece: Math.max(this.#piece, this.#stored.piece),
    };
    this.#write();
    RecoveredCommand.endPipe(
      { piped: this.#piece === PIPED ? this.#offset : 0, ...this.#stored },
      this.#options,
    );
    await this.#end(this.#stored, ended);
  }

  async #end({ status, exitCode, paneAlive, reason, isCut }: StoredCommand, endedAt: number): Promise<void> {
    if (status === "running") return;
    if (isCut) this.record.output.lose();
    await this.record.restore({ status, exitCode, paneAlive, reason }, endedAt);
  }

  /** Finds ends that no mark reports: the pane, its server or the command is gone. */
  async #checkPane(): Promise<void> {
    const { tmux } = this.#options;
    const { id, paneId, panePid } = this.#stored;
    const key = await tmux.servers.key();
    if (key === undefined || !id.endsWith(`-${key}`)) {
      return await this.#lose({ reason: SERVER_GONE, paneAlive: false });
    }
    const pane = await findPanes(tmux, [paneId]).then(([found]) => found, () => undefined);
    if (this.#isDone || !this.record.running) return;
    if (pane?.panePid !== panePid) return await this.#paneGone(pane);
    if (pane.dead) return await this.#paneGone(pane);
    if (this.#exitStatus !== undefined) return await this.#awaitMark();
    await this.#checkShell(pane);
  }

  /** Nothing goes to disk: the process that answers for it may live where it can't be seen. */
  async #checkServer(): Promise<void> {
    if (this.#stored.id.endsWith(`-${await this.#options.tmux.servers.key()}`)) return;
    await this.record.restore({ status: "lost", paneAlive: false, reason: ELSEWHERE }, Date.now());
  }

  async #paneGone(pane: FoundPane | undefined): Promise<void> {
    const { exitCode } = pane?.dead ? endingOf(pane) : {};
    await this.catchUp();
    if (!this.record.running) return;
    if (exitCode === undefined) return await this.#lose({ reason: PANE_GONE, paneAlive: false });
    await this.#settle({ status: "completed", exitCode, paneAlive: false });
  }

  get #exitStatus(): number | undefined {
    const status = this.#options.store.exitStatus(this.#stored.id);
    return status === undefined ? undefined : exitStatus(status);
  }

  /** Its shell says that it has ended, but the mark that ends its output may never come. */
  async #awaitMark(): Promise<void> {
    if (this.#isPiped && ++this.#ended <= MARK_LOOKS) return;
    // A screen that can't be read any more proves nothing.
    const isWhole = await this.#readShown().catch(() => false);
    if (!this.record.running) return;
    const exitCode = this.#exitStatus;
    if (isWhole && exitCode !== undefined) await this.#settle({ status: "completed", exitCode });
    else await this.#lose({ reason: CUT_AT_START });
  }

  /** Adds what the screen shows beyond what was copied, in a piece of this process's own; true if that is all there was. */
  async #readShown(): Promise<boolean> {
    const shown = await readShown(this.#options.tmux, this.#stored);
    const missing = shown && await this.record.output.missing(shown.lines);
    const piece = this.#piece + this.#piece % 2;
    const path = this.#path(piece);
    if (!missing || path === undefined) return false;
    const isWritten = this.#options.store.attempt(() =>
      Deno.writeFileSync(path, missing, { append: true, mode: 0o600 })
    );
    if (this.#piece === PIPED) this.#save({ piece, piped: this.#offset });
    await this.catchUp();
    return shown.isWhole && isWritten !== undefined;
  }

  /** Nobody saw its end. Its shell may have written its exit status; where its output ends is not known then either. */
  async #lose(end: { reason: string; paneAlive?: boolean }): Promise<void> {
    const exitCode = this.#exitStatus;
    if (exitCode === undefined) return await this.#settle({ status: "lost", ...end });
    const { reason: _, ...rest } = end;
    const piped = this.#piece === PIPED ? { piped: this.#offset } : {};
    await this.#settle({ status: "completed", exitCode, isCut: true, ...piped, ...rest });
  }

  async #checkShell(pane: FoundPane): Promise<void> {
    const { tmux } = this.#options;
    const { shellPid, doneHash } = this.#stored;
    if (doneHash === undefined) return await this.#lose({ reason: UNMARKED });
    const isPiped = this.#isPiped;
    const look = await tmux.machine.inspector.inspect(pane);
    const isBack = look.shell !== undefined && look.waitingForInput && look.foregroundPid === shellPid;
    this.#atPrompt = isBack ? this.#atPrompt + 1 : 0;
    const { prompt } = this.#stored;
    const isCertain = this.#atPrompt >= 2 &&
      (this.#mayBeAtPrompt || prompt === "" ||
        (prompt !== undefined && await showsPrompt(tmux, pane.paneId, prompt)));
    this.#uncopied = isPiped && !this.#isCopied ? this.#uncopied + 1 : 0;
    if (this.#uncopied >= 2 && this.#atPrompt >= 2) {
      return await this.#lose({ reason: UNCOPIED });
    }
    if (isCertain) {
      const reason = isPiped && prompt === undefined ? INTERRUPTED : CUT_AT_START;
      return await this.#lose({ reason });
    }
    if (this.#uncopied >= 2) return await this.#copyAgain(pane.paneId);
    if (isPiped || this.#isTaken) return;
    this.#isJoining = true;
    await this.#join(isBack).finally(() => this.#isJoining = false);
  }

  /** The pipe can have ended with the server that began it; one whose file is full runs on and copies nothing. */
  get #isCopied(): boolean {
    const path = this.#path(PIPED);
    const spool = this.#options.spoolsPiped(serverPidOf(this.#stored.id)).find((each) => each.path === path);
    return spool !== undefined && sizeOf(path)! < spool.maxBytes;
  }

  async #copyAgain(paneId: string): Promise<void> {
    const { tmux, store, endPipe } = this.#options;
    const path = this.#path(PIPED)!;
    if (!this.#stored.isCut) this.#save({ isCut: true });
    // One with a smaller limit may have filled it.
    endPipe(serverPidOf(this.#stored.id), path);
    if (sizeOf(path)! >= store.maxBytes) return;
    await tmux.run([pipeToSpool(paneId, { path, maxBytes: store.maxBytes })]);
    this.#uncopied = 0;
  }

  /** Has a pipe copy what is printed from now on, behind what the screen shows of the command. */
  async #join(isBack: boolean): Promise<void> {
    const { tmux, store } = this.#options;
    const path = this.#path(PIPED)!;
    const late = await startLate(tmux, this.#stored, { path, maxBytes: store.maxBytes });
    this.#isTaken = late === "taken";
    if (late === "taken") return this.#save({ isCut: true });
    if (late === undefined || this.#piece > 0) return this.#save({ isCut: true, prompt: "" });
    const isPrompt = isBack && late.prompt !== "" && late.lines.at(-1)?.trimEnd() === late.prompt;
    const shown = isPrompt ? [...late.lines.slice(0, -1), ""] : late.lines;
    const missing = await this.record.output.missing(shown);
    if (missing === undefined) return this.#save({ isCut: true, prompt: late.prompt });
    const isWritten = store.attempt(() =>
      Deno.writeFileSync(this.#path(0)!, missing, { append: true, mode: 0o600 })
    );
    this.#save({
      piece: PIPED,
      prompt: late.prompt,
      ...(isWritten ? {} : { isCut: true }),
    });
  }

  #save(changed: Partial<StoredCommand>): void {
    this.#stored = { ...this.#stored, ...changed };
    this.#write();
  }

  /** Adds to the record and does not replace it: the shell may be adding its exit status. */
  #write(): void {
    this.#options.store.open(this.#stored)?.[Symbol.dispose]();
  }
}

function sizeOf(path: string | undefined): number | undefined {
  if (path === undefined) return undefined;
  try {
    return Deno.statSync(path).size;
  } catch {
    return undefined;
  }
}
