// A command that another server process ran, read from disk: its end, or its progress until it ends.
import { endAbandonedLoader } from "../prompt/abandoned_loader.ts";
import { TrackedCommand } from "../tracked_command.ts";
import type { FoundPane } from "../../watch/pane_refs.ts";
import type { ReleaseLease } from "../../watch/remain_on_exit_leases.ts";
import { CommandPipe } from "./command_pipe.ts";
import { InspectionPace } from "./inspection_pace.ts";
import { joinLate, readShownOutput, showsAll, showsPrompt } from "./late_pipe.ts";
import * as lost from "./lost_reasons.ts";
import { RecoveredExit } from "./recovered_exit.ts";
import { RecoveredShell } from "./recovered_shell.ts";
import { untilRecoveredAsks } from "./recovered_question.ts";
import type { RecoveredCommandOptions } from "./recovery_options.ts";
import { PIPE_PIECE, serverKeyOf, serverPidOf, type StoredCommand } from "./stored_command.ts";
import { findStoredPane } from "./stored_pane.ts";
import { endPipeOf, StoredOutput, type StoredOutputRead } from "./stored_output.ts";
import { bestEffort } from "../../promises.ts";

const TICK_MS = 200;
/** Attempts after which output counts as cut: the pipe that a killed server used for a moment is gone at the second. */
const JOIN_CHECKS = 2;

export class RecoveredCommand {
  readonly tracked: TrackedCommand;
  readonly #options: RecoveredCommandOptions;
  #stored: StoredCommand;
  readonly #output: StoredOutput;
  readonly #shell = new RecoveredShell();
  readonly #exit: RecoveredExit;
  /** Consecutive checks in which no pipe copied to its file. */
  #uncopied = 0;
  /** True while the screen is written to piece 0, followed by a new pipe's copy. */
  #isJoining = false;
  #takenChecks = 0;
  #release: ReleaseLease | undefined;
  /** Output that the screen showed beyond what was copied, before the prompt was back. */
  #seen: Uint8Array | undefined;
  readonly pace: InspectionPace;
  #timer: ReturnType<typeof setInterval> | undefined;
  #reading: Promise<void> | undefined;
  #inspecting: Promise<void> | undefined;

  constructor(options: RecoveredCommandOptions) {
    this.#options = options;
    const { stored, storage, tmux } = options;
    this.#stored = stored;
    this.#exit = new RecoveredExit(options);
    this.pace = new InspectionPace(stored);
    const { id: commandId, paneId, command, columns, rows, started } = stored;
    this.tracked = new TrackedCommand({ commandId, paneId, command, columns, rows, storage, started, tmux });
    this.tracked.begin(stored.row);
    this.#output = new StoredOutput({ store: options.store, id: commandId, output: this.tracked.output });
    this.tracked.shellPid = stored.shellPid;
    const isAtPrompt = () => this.catchUp().then(() => !this.tracked.running || this.#isAtPrompt());
    const question = { tmux, stored: () => this.#stored, tracked: this.tracked, isAtPrompt };
    this.tracked.untilWaiting = (until, signal) => untilRecoveredAsks(question, { until, signal });
  }

  /** Settles when the command's state is what is known now; it keeps itself up to date while the command runs. */
  async follow(): Promise<void> {
    await this.catchUp().then(() => bestEffort(this.#checkServer())).finally(() => this.#keepUp());
  }

  #keepUp(): void {
    if (!this.tracked.running || this.#timer !== undefined) return;
    // A later tick reads what this one can't. The sooner a pipe copies, the more is known about the end.
    const next = (): Promise<void> => bestEffort(this.#next());
    void next();
    this.#timer = setInterval(next, TICK_MS);
    Deno.unrefTimer(this.#timer);
  }

  close(): void {
    clearInterval(this.#timer);
    this.tracked.discard();
  }

  /** Reads what is new on disk; one reader at a time. */
  catchUp(): Promise<void> {
    return this.#reading ??= this.#catchUp().finally(() => this.#reading = undefined);
  }

  /** True if a waiting shell must be at its prompt; otherwise its command may be what reads (`read x`). */
  async #isAtPrompt(): Promise<boolean> {
    const { paneId, prompt } = this.#stored;
    if (this.#isJoining || prompt === "" || this.#output.showsInterrupt) return true;
    if (prompt !== undefined) return await showsPrompt(this.#options.tmux, paneId, prompt);
    return this.#owns && this.#output.pipedBytes === undefined;
  }

  async #next(): Promise<void> {
    await this.catchUp();
    if (!this.tracked.running) return clearInterval(this.#timer);
    if (this.pace.tick()) await this.#check();
  }

  /** Inspects the pane and has its output copied, if this process is responsible; one inspection at a time. */
  inspect(): Promise<void> {
    if (!this.tracked.running || !this.#owns) return Promise.resolve();
    return this.#inspecting ??= this.pace.note(this.#checkPane()).finally(() => this.#inspecting = undefined);
  }

  async #check(): Promise<void> {
    const { store, abandoned, tmux } = this.#options;
    if (store.isAbandoned(this.#stored.id)) await bestEffort(abandoned(tmux, serverKeyOf(this.#stored.id)));
    await (this.#owns ? this.inspect() : this.pace.note(this.#checkServer()));
  }

  get #owns(): boolean {
    return this.#options.store.owns(this.#stored.id);
  }

  async #catchUp(): Promise<void> {
    const { store } = this.#options;
    // The record is read first: once it says that the command has ended, all of the output is on disk.
    const stored = store.read<StoredCommand>(this.#stored.id) ?? this.#stored;
    // The responsible process may have found that nothing is missing.
    const known = this.#stored.isCut && stored.isCut !== false && { isCut: true };
    this.#stored = { ...stored, ...known };
    const { done, isCut } = await this.#output.read(this.#stored, () => !this.#isJoining && this.#owns);
    const piece = Math.max(this.#output.piece, stored.piece);
    this.#stored = { ...this.#stored, piece, ...(isCut && { isCut }) };
    // Only the responsible process records the end, which this one may become after it has read the mark.
    const isNew = this.tracked.running && stored.ended === undefined && this.#stored.stopped === undefined;
    if (done && isNew && this.#owns) await this.#complete(done);
    if (this.#stored.stopped !== undefined) await this.tracked.leave({ kind: "stopped" });
    if (stored.ended !== undefined) await this.#end(this.#stored, stored.ended);
  }

  /** The record may lack the piece that the pipe wrote; the screen can show that nothing is missing before it. */
  async #complete(done: StoredOutputRead["done"] & object): Promise<void> {
    const { tmux } = this.#options;
    if (this.#stored.isCut && await showsAll(tmux, this.#stored, this.#output)) this.#stored.isCut = false;
    await this.#settle({ status: "completed", ...done });
  }

  async #settle(end: Pick<StoredCommand, "status"> & Partial<StoredCommand>): Promise<void> {
    const ended = Date.now();
    const isCut = end.isCut ?? this.#stored.isCut ?? (end.status === "lost" ? true : undefined);
    const piece = Math.max(this.#output.piece, this.#stored.piece);
    const piped = end.piped ?? this.#stored.piped ?? this.#output.readOfPipe ?? 0;
    const stopped = await this.#exit.stoppedBy(this.#stored, end);
    const known = { ...(isCut && { isCut }), piece, piped };
    this.#save(stopped === undefined ? { ...end, ...known, ended } : { ...known, stopped });
    endPipeOf(this.#stored, this.#options);
    if (stopped !== undefined) return this.#exit.forgetStop();
    const isHeld = this.#release !== undefined;
    await this.#end(this.#stored, ended);
    if (!isHeld) this.#options.sweep(this.#options.tmux);
  }

  async #end({ status, exitCode, paneAlive, reason, isCut }: StoredCommand, endedAt: number): Promise<void> {
    if (status === "running") return;
    if (isCut) this.tracked.output.lose();
    await this.#letGo();
    await this.tracked.restore({ status, exitCode, paneAlive, reason }, endedAt);
  }

  async #letGo(): Promise<void> {
    const release = this.#release;
    this.#release = undefined;
    if (release) await bestEffort(release());
  }

  /** Finds ends that no mark reports: the pane, its server or the command is gone. */
  async #checkPane(): Promise<void> {
    const { tmux } = this.#options;
    const { panePid } = this.#stored;
    const pane = await findStoredPane(tmux, this.#stored);
    if (pane === "server gone") return await this.#lose({ reason: lost.SERVER_GONE, paneAlive: false });
    if (pane === "out of reach") return;
    const { stopped } = this.#stored;
    if (this.#output.isDone && stopped === undefined || !this.tracked.running) return;
    if (pane?.panePid !== panePid || pane.dead) return await this.#paneGone(pane);
    if (stopped !== undefined) {
      return await this.#exit.isOver(stopped) ? await this.#settle({ status: "completed" }) : undefined;
    }
    if (this.#exit.status !== undefined) return await this.#awaitMark(this.#exit.status, pane);
    if (this.#options.changesPanes) this.#release ??= await this.#options.lease(tmux, pane);
    if (!this.tracked.running) return await this.#letGo();
    await this.#checkShell(pane);
  }

  /** Ends the command in memory only: the responsible process may live where it can't be seen from here. */
  async #checkServer(): Promise<void> {
    const { store, tmux, stored: { id } } = this.#options;
    if (!this.tracked.running || !store.isElsewhere(id)) return;
    if (id.endsWith(`-${await tmux.servers.key()}`)) return;
    await this.tracked.restore({ status: "lost", paneAlive: false, reason: lost.ELSEWHERE }, Date.now());
  }

  async #paneGone(pane: FoundPane | undefined): Promise<void> {
    // tmux 3.8 forgets the pid of a dead pane; another process may have been respawned in it.
    const isSamePane = pane?.dead && (pane.panePid === this.#stored.panePid || pane.panePid === 0);
    const ending = isSamePane ? pane.ending : undefined;
    const isShown = (ending !== undefined || this.#seen !== undefined) &&
      await this.#readShown().catch(() => false);
    await this.catchUp();
    if (!this.tracked.running) return;
    const exitCode = this.#exit.status ?? ending?.exitCode;
    const isCut = !isShown && (this.#exit.status !== undefined || this.#output.pipedBytes === undefined);
    if (exitCode === undefined) await this.#lose({ reason: lost.PANE_GONE, paneAlive: false });
    else await this.#settle({ status: "completed", exitCode, paneAlive: false, ...(isCut && { isCut }) });
  }

  /** Waits for the mark that ends the output. The shell has written its exit status, but the mark may never come. */
  async #awaitMark(exitCode: number, pane: FoundPane): Promise<void> {
    const isPiped = this.#output.pipedBytes !== undefined;
    const { waitingForInput } = await this.#options.tmux.machine.inspector.inspect(pane);
    const isLast = this.#exit.isOverdue({ isPiped, waits: waitingForInput });
    if (isPiped && !isLast) return;
    // A screen that can't be read any more proves nothing.
    const isWhole = await this.#readShown({ onlyIfWhole: !isLast }).catch(() => false);
    if (!this.tracked.running) return;
    if (isWhole) await this.#settle({ status: "completed", exitCode });
    else if (isLast) await this.#lose({ reason: lost.CUT_AT_START });
  }

  /**
   * Writes the screen's output beyond what was copied to a new piece; true if that completes the output. With
   * `onlyIfWhole`, it otherwise only remembers that output, which the screen may no longer show at the next call.
   */
  async #readShown({ onlyIfWhole = false } = {}): Promise<boolean> {
    const shown = await readShownOutput(this.#options.tmux, this.#stored).catch(() => undefined);
    const now = shown && await this.#output.missing(shown.lines);
    if (onlyIfWhole && !shown?.isWhole) {
      this.#seen = now;
      return false;
    }
    const missing = now ?? (this.#output.pipedBytes === undefined ? this.#seen : undefined);
    if (!missing) return false;
    const piped = this.#output.readOfPipe;
    const piece = this.#output.appendNext(missing);
    if (piece !== undefined && piece > 0) this.#save({ piece, ...(piped !== undefined && { piped }) });
    await this.catchUp();
    if (!now || !shown?.isWhole || piece === undefined) return false;
    if (this.#output.isAll(shown.lines)) this.#save({ isCut: false });
    return true;
  }

  /** Records an end that was not observed: even with an exit status, the end of the output is unknown. */
  async #lose({ reason, ...rest }: { reason: string; paneAlive?: boolean; isCut?: boolean }): Promise<void> {
    const exitCode = this.#exit.status;
    if (exitCode === undefined) return await this.#settle({ status: "lost", reason, ...rest });
    await this.#settle({ status: "completed", exitCode, isCut: true, ...rest });
  }

  async #checkShell(pane: FoundPane): Promise<void> {
    const { tmux, changesPanes } = this.#options;
    const { doneHash, prompt } = this.#stored;
    if (doneHash === undefined) return await this.#lose({ reason: lost.UNMARKED });
    const isPiped = this.#output.pipedBytes !== undefined;
    const { isBack, isStill, isLoading, isGone } = await this.#shell.check(tmux, pane, this.tracked);
    if (isGone) return await this.#lose({ reason: lost.SHELL_GONE });
    if (isLoading && isStill && changesPanes) await bestEffort(endAbandonedLoader(tmux, pane.paneId));
    if (isLoading && isStill) return await this.#lose({ reason: lost.NEVER_BEGUN, isCut: false });
    const isCopied = isPiped && this.#pipe.isCopying(this.#output.pipedBytes!);
    this.#uncopied = isPiped && !isCopied ? this.#uncopied + 1 : 0;
    if (this.#uncopied >= 2 && isStill) return await this.#lose({ reason: lost.UNCOPIED });
    const isRemote = tmux.machine.host !== undefined;
    if (isStill && await this.#isAtPrompt()) {
      if (isRemote) await bestEffort(this.#readShown());
      return await this.#lose({
        reason: lost.atPrompt({ isRemote, isInterrupted: isPiped && prompt === undefined }),
      });
    }
    // On another machine, a pipe would write its file there.
    if (isRemote || !changesPanes) return;
    if (isPiped) return this.#uncopied >= 2 ? await this.#copyAgain(pane.paneId) : undefined;
    this.#isJoining = true;
    await this.#join(isBack).finally(() => this.#isJoining = false);
  }

  get #pipe(): CommandPipe {
    const { store: { maxBytes }, spoolsPiped, endPipe } = this.#options;
    const file = { path: this.#output.path(PIPE_PIECE)!, maxBytes };
    return new CommandPipe({ file, serverPid: serverPidOf(this.#stored.id), spoolsPiped, endPipe });
  }

  async #copyAgain(paneId: string): Promise<void> {
    if (!this.#stored.isCut) this.#save({ isCut: true });
    if (await this.#pipe.restart(this.#options.tmux, paneId, this.#output.pipedBytes!)) this.#uncopied = 0;
  }

  /** Has a pipe copy what is printed from now on, after what the screen shows of the command. */
  async #join(isBack: boolean): Promise<void> {
    const late = { output: this.#output, pipe: this.#pipe, isBack };
    const changed = await joinLate(this.#options.tmux, this.#stored, late);
    if (changed !== "taken") this.#save(changed);
    else if (++this.#takenChecks === JOIN_CHECKS) this.#save({ isCut: true });
  }

  /** Appends to the record instead of replacing it: the shell may be adding its exit status. */
  #save(changed: Partial<StoredCommand>): void {
    this.#stored = { ...this.#stored, ...changed };
    this.#options.store.open(this.#stored)?.[Symbol.dispose]();
  }
}
