// Runs one command in a pane's shell: does what its state requires, and feeds it events.
import { AppError, ShuttingDown } from "../errors.ts";
import { CommandInput } from "./command_input.ts";
import { DueMark, type MarkingShell } from "./due_mark.ts";
import { noticeQuestions, withoutPrompts } from "./command_question.ts";
import { Interruption } from "./interruption.ts";
import type { Send } from "../tmux_exec/exec.ts";
import { findRefusal, gaveUp, noMark } from "./refusals.ts";
import { OuterEnd } from "./outer_end.ts";
import { RemainOnExit } from "../watch/remain_on_exit.ts";
import type { CommandRunOptions } from "./run_options.ts";
import { shownLines } from "../shell/screen.ts";
import type { ShellAtPrompt } from "./prompt/shell_at_prompt.ts";
import { jobName, untilGone } from "./stopped_job.ts";
import { askForStatus, CannotAnswer } from "./status_question.ts";
import type { Ending } from "../process/ending.ts";
import { type CommandEvent, markDeadline } from "./command_state.ts";
import { readWrappedScreen } from "../watch/followed_screen.ts";
import { type CommandMark, type MarkRef, newMarks } from "../watch/protocol.ts";
import type { FollowHandle } from "../watch/follow.ts";
import { bestEffort, handledLater } from "../promises.ts";

export class CommandRun {
  readonly #options: CommandRunOptions;
  readonly #marks: MarkRef = newMarks();
  readonly #begun: PromiseWithResolvers<void> = Promise.withResolvers();
  #interruption: Interruption | undefined;
  readonly input: CommandInput;
  readonly #remainOnExit: RemainOnExit;
  readonly #output: OuterEnd;
  #handle: FollowHandle | undefined;
  /** Set once the command is typed. */
  #shell!: ShellAtPrompt;
  #isWatched = false;
  readonly #due = new DueMark();
  /** Work started by the last mark or by the end of the pane. */
  #settling: Promise<void> = Promise.resolve();
  /** Output received while the shell is asked for the status: its prompt and our typing. */
  #whileAsking: Uint8Array[] = [];
  /** Number of times the shell did not take that question; a person's Ctrl-C may have dropped the first. */
  #refusals = 0;

  constructor(options: CommandRunOptions) {
    const { tracked, outer, tmux } = options;
    this.#options = options;
    this.#output = new OuterEnd({ tracked, secret: this.#marks.secret, outer, gone: this.#lost });
    this.input = new CommandInput({ ...options, marks: this.#marks, send: this.#send });
    this.#remainOnExit = new RemainOnExit(tracked.paneId, this.#send, tmux.processStamp);
    handledLater(this.#begun.promise);
    tracked.giveUp = () => this.#fail(new ShuttingDown());
    tracked.letGo = () => this.#interruption?.close();
    tracked.left.then(() => this.#begun.resolve()).then(() => this.#stop());
  }

  readonly #lost = (reason: string) => void this.#leave({ kind: "failed", reason });
  readonly #send: Send = (...commands) => this.handle.send(commands);
  readonly #askTmux = () => this.#send(["display-message", "-p", ""]);

  get handle(): FollowHandle {
    if (!this.#handle) throw new AppError("internal", "The command is not followed yet");
    return this.#handle;
  }

  /** Begins to follow the pane while its shell is inspected; a pipe has to wait, as another command may own it. */
  follow(): void {
    const { supervisor, spec, pane } = this.#options;
    if (!pane.dead && supervisor.attaches(spec(this.#marks, { triggers: [] }))) this.#handle = this.#follow();
  }

  /** Sends what comes before the text; undefined if no client is attached. */
  get sendFirst(): Send | undefined {
    return this.#handle && ((...commands) => this.input.limit.within(this.#send(...commands)));
  }

  /**
   * Types the command. Settles when its output begins or it is over, or when the shell has all of it and time is up.
   * @throws {AppError} the reason why the command was not run
   */
  async begin(shell: ShellAtPrompt, signal?: AbortSignal): Promise<void> {
    this.#isWatched = this.#options.watch !== undefined;
    this.#shell = shell;
    this.#observe(shell);
    try {
      await this.#type(signal);
      this.#take({ kind: "typed" });
      const { tracked } = this.#options;
      // Until the shell has the text, the deadline of the due mark decides.
      const { promise } = this.#begun;
      await this.input.limit.within(promise, () => tracked.begun ? undefined : promise);
      if (tracked.outcome?.failure) throw tracked.outcome.failure;
    } catch (error) {
      await this.#leave({ kind: "notRun" });
      void this.endWatch();
      throw error;
    }
  }

  /** Ends this command's watch, or gives up one that never began. Settles when the command's state agrees with it. */
  async endWatch(): Promise<void> {
    this.#isWatched = false;
    this.#handle?.endWatch();
    this.#stop();
    await this.#settling;
  }

  #observe({ taker, seen }: ShellAtPrompt): void {
    const { tracked, text: { command } } = this.#options;
    const interruption = this.#interruption = new Interruption({
      ...{ taker, seen, askTmux: this.#askTmux },
      showsPrompt: async () => await this.#shell.isAtPrompt?.() || await this.input.prompt.isShown(),
      returned: () => this.#recover(),
      ended: this.#lost,
    });
    if (!seen) return;
    tracked.shellPid = seen.pid;
    noticeQuestions({
      tracked,
      shell: seen,
      isAtPrompt: () => interruption.isAtPrompt(),
      screen: () => readWrappedScreen(this.handle, tracked.paneId),
      firstRow: () => this.input.prompt.rowBelow(command),
    });
  }

  async #type(signal?: AbortSignal): Promise<void> {
    const { pane, tmux } = this.#options;
    this.#handle ??= this.#follow();
    await this.input.limit.within(this.#handle.ready);
    const held = this.#remainOnExit.hold(tmux);
    handledLater(held);
    await this.input.type(this.#shell, { row: pane.cursorRow, held, signal });
  }

  #follow(): FollowHandle {
    const { supervisor, spec, watch, tracked, tracked: { journal } } = this.#options;
    const part = watch?.part ?? { triggers: [] };
    const followed = { ...spec(this.#marks, part), ...(journal?.spool && { spool: journal.spool }) };
    return supervisor.follow(followed, {
      ...withoutPrompts(watch?.handlers, () => this.#interruption?.isAtPrompt()),
      mark: ({ mark }) => void (this.#settling = this.#mark(mark).catch((error) => this.#fail(error))),
      bytes: ({ bytes }) => {
        if (tracked.state === "asking") return void this.#whileAsking.push(bytes);
        this.#output.push(bytes);
        this.#interruption?.saw(bytes);
      },
      spooling: ({ active }) => journal?.spooling(active),
      gap: () => {
        this.#output.gap();
        this.#interruption?.lost();
        if (this.#take({ kind: "gap" }) || tracked.state === "running") this.handle.assumeBegun();
      },
      sized: ({ columns, rows }) => tracked.resize(columns, rows),
      dead: () => this.#readRest().catch(() => undefined),
      ended: ({ ending }) => void (this.#settling = this.#paneEnded(ending)),
      failed: (error) => {
        watch?.handlers.failed(error);
        this.#fail(error);
      },
    }, { watchId: watch?.watchId, isWatch: watch !== undefined });
  }

  async #mark(mark: CommandMark): Promise<void> {
    if (mark.kind === "done") return await this.#done(mark);
    // A mark R of a server that used the pane earlier.
    if (mark.kind === "ready" && !this.input.prompt.isEntered) return;
    if (!this.#take({ kind: mark.kind }) || mark.kind !== "ready") return;
    await this.input.give(this.#shell, mark.ready, () => this.#take({ kind: "given" }));
  }

  async #done({ status, complaint, stoppedPid }: CommandMark & { kind: "done" }): Promise<void> {
    const { tracked, text, tmux } = this.#options;
    // Reading the shell's error message can take longer than the mark's deadline.
    this.#due.end();
    if (complaint) {
      // Mark D without mark C: the text did not parse.
      const refusal = { paneId: tracked.paneId, command: text.command, complaint };
      const failure = await findRefusal(refusal, this.#shell.dialect);
      if (failure) return await this.#leave({ kind: "notRun", failure });
      this.#output.push(complaint);
    }
    if (stoppedPid === undefined) return await this.#leave({ kind: "done", exitCode: status });
    await this.#leave({ kind: "stopped" });
    if (tracked.state !== "stopped") return;
    const { inspector } = tmux.machine;
    tracked.journal?.stop(jobName(stoppedPid, await inspector.startTime(stoppedPid)), status);
    // A watch that ends does not wait for the stopped job.
    untilGone(stoppedPid, inspector, tracked.over).then(
      () => this.#leave({ kind: "jobEnded" }),
      (error) => this.#fail(error),
    );
  }

  /** Asks the shell for the status: it has forgotten the rest of the line, and mark D with it. */
  async #recover(): Promise<void> {
    const { tracked } = this.#options;
    try {
      const { status, prompt } = await askForStatus({
        ...this.#options,
        shell: this.#shell,
        paneId: tracked.paneId,
        marks: newMarks(this.#marks.secret),
        // Sent through the command's own client, whose replies show which of its bytes came before.
        send: this.#send,
        asks: () => this.#take({ kind: "asked" }),
      });
      this.#output.push(prompt.erasure(this.input.prompt));
      await this.#leave({ kind: "answered", exitCode: status });
    } catch (error) {
      if (error instanceof CannotAnswer) {
        this.#whileAsking.length = 0;
        if (++this.#refusals > 1) return void await this.#leave({ kind: "failed", reason: error.message });
      }
      // There is text at the prompt, or the shell is busy again; the next inspection decides.
      this.#take({ kind: "unanswered" });
      for (const bytes of this.#whileAsking.splice(0)) this.#output.push(bytes);
    }
  }

  /** Returns output that the dead pane's screen shows but that did not arrive; undefined if that is unknown. */
  async #readRest(): Promise<Uint8Array | undefined> {
    const { tracked, tmux, text } = this.#options;
    if (!tracked.begun || tracked.endedAt !== undefined) return undefined;
    const shown = await this.#remainOnExit.read(tmux, this.input.prompt.absoluteRow);
    return shown && await this.#output.complete(shown.slice(shownLines(text.command).length));
  }

  async #paneEnded(ending: Ending): Promise<void> {
    const closed = bestEffort(this.#remainOnExit.closeDead(this.#options.tmux, ending));
    const printed = this.#options.tracked.output.lines.bytes > 0;
    await Promise.all([this.#leave({ kind: "paneEnded", ...ending, printed }, closed), closed]);
  }

  /** Gives the command up. Before its output began, the caller gets the error; later, the command counts as lost. */
  #fail(error: unknown): void {
    const failure = error instanceof AppError ? error : new AppError("internal", String(error));
    // Ctrl-C ends a loader whose payload never comes.
    const stopped = markDeadline(this.#options.tracked.state) && bestEffort(this.input.prompt.interrupt());
    const interrupted = Promise.resolve(stopped).then(() => this.#begun.reject(failure));
    this.#leave({ kind: "failed", reason: failure.message }, interrupted);
  }

  /** Applies an event and begins what the new state requires; returns false if the event does not count. */
  #take(event: CommandEvent): boolean {
    const counts = this.#options.tracked.take(event);
    if (counts) this.#enter();
    return counts;
  }

  #enter(): void {
    this.#due.end();
    const { state, paneId } = this.#options.tracked;
    const due = markDeadline(state);
    if (due) {
      this.#due.wait({
        ms: due.isCallers ? Math.min(due.ms, this.input.limit.remaining) : due.ms,
        late: () => this.#fail(noMark(paneId, this.#shell.dialect, due.missed)),
        shell: this.#markingShell(state),
        gaveUp: () => void (this.#settling = this.#gaveUp()),
      });
    }
    if (state !== "running") return;
    this.#interruption?.watch();
    this.#begun.resolve();
  }

  /** The shell that may give up, if it can be observed: a loader that waits for text can look like a prompt. */
  #markingShell(state: string): MarkingShell | undefined {
    const { waits } = this.#shell;
    if (!waits || state === "accepted") return undefined;
    const isBack = () => state === "typed" ? this.input.prompt.hasWoken() : this.input.prompt.isShown();
    return { waits: async () => await waits() && await isBack(), askTmux: this.#askTmux };
  }

  /** Ends the command: the shell is back at its prompt without having run it. */
  async #gaveUp(): Promise<void> {
    const { tracked, tracked: { state } } = this.#options;
    const { prompt } = this.input;
    const message = await prompt.lineAbove().catch(() => "");
    const isGone = this.#shell.edits && await prompt.isShown().catch(() => true);
    if (tracked.state !== state) return;
    if (!isGone) await bestEffort(prompt.dropLine());
    await this.#leave({ kind: "notRun", failure: gaveUp(tracked.paneId, message) });
  }

  /** Applies an event that frees the shell. */
  async #leave(event: CommandEvent, meanwhile?: Promise<unknown>): Promise<void> {
    const { tracked, tmux } = this.#options;
    this.#output.leave(event);
    await tracked.leave(event, async () => {
      this.#enter();
      this.#interruption?.close();
      await Promise.all([bestEffort(this.#remainOnExit.release(tmux)), meanwhile]);
    });
  }

  #stop(): void {
    const { running, state } = this.#options.tracked;
    if (!this.#isWatched && (!running || state === "stopped")) this.#handle?.stop();
  }
}
