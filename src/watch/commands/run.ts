// Runs one command in a pane's shell: types the loader, hands over the payload, follows the marks.
import { AppError } from "../../errors.ts";
import type { Ready } from "../../shell/dialect.ts";
import { redraw } from "../../shell/screen.ts";
import { untilAsked } from "./input_wait.ts";
import { Interruption } from "./interruption.ts";
import { newMarks } from "./new_marks.ts";
import { PaneKeys, type Send } from "./pane_keys.ts";
import { ShellPrompt } from "./prompt.ts";
import { incomplete, isIncomplete, noStty } from "./refusals.ts";
import { RemainOnExit } from "./remain_on_exit.ts";
import { type CommandRunOptions, typing } from "./run_options.ts";
import { untilGone } from "./stopped_job.ts";
import { askForStatus, READY_MS } from "./recovery.ts";
import type { Ending } from "../../process/ending.ts";
import { TimeLimit } from "./time_limit.ts";
import { readFollowedScreen } from "../followed_screen.ts";
import type { CommandMark, MarkRef } from "../protocol.ts";
import type { FollowHandle } from "../follow.ts";

/** Time for the payload to be read; much more than it needs (ms). */
const START_MS = 20_000;
const CAUGHT_UP_ROUNDS = 2;
const SHELL_GONE = "The shell it was run in ended with the command that had begun it";

export class CommandRun {
  readonly #options: CommandRunOptions;
  readonly #marks: MarkRef;
  readonly #begun: PromiseWithResolvers<void> = Promise.withResolvers();
  readonly #interruption: Interruption | undefined;
  readonly #prompt: ShellPrompt;
  readonly #remains: RemainOnExit;
  readonly #limit: TimeLimit;
  /** Settles when a later server could know the mark that ends the command. */
  readonly #provable: Promise<void> | undefined;
  #handle: FollowHandle | undefined;
  #isWatched: boolean;
  #deadline: ReturnType<typeof setTimeout> | undefined;
  /** A mark can come before tmux says that what it answers is typed. */
  #answered = false;
  #hasTyped = false;
  #isHandedOver = false;
  /** Work that the last mark, or the end of the pane, starts. */
  #settling: Promise<void> = Promise.resolve();
  /** Output while a shell is asked for its status: its prompt and our typing. */
  #held: Uint8Array[] | undefined;
  /** Bytes of output that came so far. */
  #came = 0;

  constructor(options: CommandRunOptions) {
    this.#options = options;
    this.#isWatched = options.over !== undefined;
    this.#marks = newMarks();
    this.#provable = options.record.journal?.expect(this.#marks.secret);
    this.#limit = new TimeLimit(options.record.paneId, options.until);
    this.#prompt = new ShellPrompt(new PaneKeys(options.record.paneId, this.#sendInTime));
    this.#remains = new RemainOnExit(options.record.paneId, this.#send, options.tmux.holder);
    this.#begun.promise.catch(() => {});
    const { seen } = options;
    this.#interruption = seen &&
      new Interruption({
        shell: seen,
        isCaughtUp: () => this.#isCaughtUp(),
        showsPrompt: () => this.#prompt.isShown(),
        returned: () => this.#recover(),
      });
    options.record.shellPid = seen?.pid;
    const question = seen && {
      record: options.record,
      shell: seen,
      isAtPrompt: () => this.#interruption!.isAtPrompt(),
      screen: () => readFollowedScreen(this.handle, options.record.paneId),
    };
    options.record.untilWaiting = question && ((until, signal) => untilAsked(question, { until, signal }));
    // Its shell has gone with the command that began it.
    options.outer?.over.then(async () =>
      void (options.record.running && await this.#over(() => options.record.lose(SHELL_GONE)))
    );
  }

  readonly #send: Send = (...commands) => this.handle.send(commands);

  readonly #sendInTime: Send = (...commands) => {
    if (!this.#answered) this.#limit.check();
    this.#hasTyped ||= commands.some(([name]) => name === "send-keys");
    return this.#send(...commands);
  };

  get handle(): FollowHandle {
    if (!this.#handle) throw new AppError("internal", "The command is not followed yet");
    return this.#handle;
  }

  /**
   * Types the command; settles when its output begins or it is over, or when the shell has all of it and time is up.
   * @throws {AppError} when it was not run
   */
  async begin(signal?: AbortSignal): Promise<void> {
    try {
      await this.#type(signal);
      if (!this.#answered) this.#expect(READY_MS, "did not take it");
      // Else the deadline of the mark that is awaited, which is no later, answers.
      await this.#limit.within(this.#begun.promise, () => {
        if (!this.#isHandedOver) return this.#begun.promise;
      });
      if (this.#options.record.failure) throw this.#options.record.failure;
    } catch (error) {
      void this.endWatch();
      throw error;
    }
  }

  /** The watch over this command has ended, or never began. Settles when the record agrees with what ended it. */
  async endWatch(): Promise<void> {
    this.#isWatched = false;
    this.#stop();
    await this.#settling;
  }

  async #type(signal?: AbortSignal): Promise<void> {
    const { record, seen, tmux } = this.#options;
    let held: Promise<void> | undefined;
    try {
      this.#handle = this.#follow();
      await this.#limit.within(this.#handle.ready);
      held = this.#remains.hold(tmux);
      held.catch(() => {}); // Awaited before Enter.
      await this.#prompt.look({ waits: seen !== undefined, row: this.#options.cursorRow });
      signal?.throwIfAborted();
      await tmux.checkPreconditions();
      await this.#prompt.typeLoader(typing(this.#options), held).catch(async (error) => {
        if (this.#limit.left < 0 && this.#hasTyped) await this.#takeBack();
        throw error;
      });
    } catch (error) {
      Promise.resolve(held).catch(() => {}).then(() => this.#remains.release(tmux)).catch(() => {});
      await record.cancel();
      throw error;
    }
  }

  /** The blanks that were tried; a pane that went has none. */
  async #takeBack(): Promise<void> {
    const { paneId } = this.#options.record;
    await this.#send(["send-keys", "-t", paneId, "BSpace", "BSpace", "C-e", "BSpace"]).catch(() => {});
  }

  #follow(): FollowHandle {
    const { supervisor, spec, over } = this.#options;
    const part = over?.part ?? { triggers: [] };
    const { journal } = this.#options.record;
    const spool = journal?.spool;
    const followed = { ...spec(this.#marks, part), ...(spool && { spool }) };
    return supervisor.follow(over?.watchId ?? supervisor.newWatchId(), followed, {
      ...over?.handlers,
      mark: ({ mark }) => void (this.#settling = this.#mark(mark).catch((error) => this.#fail(error))),
      bytes: ({ bytes }) => {
        this.#came += bytes.length;
        if (this.#held) return void this.#held.push(bytes);
        this.#options.record.output.push(bytes);
        this.#interruption?.saw(bytes);
      },
      spooling: ({ active }) => journal?.spooling(active),
      gap: () => this.#options.record.output.gap(),
      dead: () => this.#readRest().catch(() => undefined),
      ended: ({ ending }) => void (this.#settling = this.#over(() => this.#buried(ending))),
      failed: (error) => {
        over?.handlers.failed(error);
        this.#fail(error);
      },
    }, { isWatch: over !== undefined });
  }

  async #mark(mark: CommandMark): Promise<void> {
    this.#answered = true;
    switch (mark.kind) {
      case "ready":
        return await this.#handOver(mark.ready);
      case "output":
        clearTimeout(this.#deadline);
        this.#interruption?.watch();
        return this.#begun.resolve();
      case "done":
        if (this.#held) return;
        if (mark.complaint !== undefined) await this.#refused(mark.complaint);
        if (mark.stoppedPid !== undefined) return await this.#jobStopped(mark.stoppedPid);
        return await this.#over((restored) => this.#options.record.complete(mark.status, restored));
    }
  }

  /** Mark D, but the shell has only left its job: the pane is free, and the record ends when the job does. */
  async #jobStopped(pid: number): Promise<void> {
    const { record, tmux } = this.#options;
    await this.#over((restored) => record.stop(restored));
    // A watch that ends does not wait for it.
    untilGone(pid, tmux.machine.inspector, record.over).then(
      () => record.complete(),
      (error) => this.#fail(error),
    );
  }

  /** Mark R: the shell reads, unseen, what we paste. */
  async #handOver(ready: Ready): Promise<void> {
    const { dialect, text, record, tmux } = this.#options;
    clearTimeout(this.#deadline);
    this.#options.took?.();
    if (dialect.setsTerminal && ready.tty === "") {
      await this.#prompt.interrupt();
      throw noStty(record.paneId);
    }
    const interrupt = async (error: unknown): Promise<never> => {
      await this.#prompt.interrupt();
      throw error;
    };
    const seen = Promise.all([this.#prompt.view(), tmux.checkPreconditions(), this.#provable]);
    const [view] = await seen.catch(interrupt);
    const { publicId } = this.#marks;
    record.begin(this.#prompt.row + text.command.split("\n").length);
    const screen = redraw(view, { command: text.command, publicId });
    this.#isHandedOver = true;
    this.#expect(START_MS, "did not start it");
    const payload = dialect.payload({ ...text, ...this.#marks, screen, ready });
    const fed = tmux.input.feed(record.paneId, payload, this.#send);
    // While tmux and the shell are at work.
    record.openJournal(this.#prompt.absoluteRow);
    await fed.catch(interrupt);
  }

  /** Mark D without C: the text did not parse. */
  async #refused(complaint: Uint8Array): Promise<void> {
    const { text, dialect, record } = this.#options;
    if (!await isIncomplete(text.command, dialect)) return record.output.push(complaint);
    await record.cancel(incomplete(new TextDecoder().decode(complaint).trim()));
  }

  /**
   * True if no output is on the way: after 300 MB the shell was at its prompt while tmux still held the last 34, and
   * mark D. tmux's answer comes after the output it had handed over; asked twice, since a pipe is read beside it.
   */
  async #isCaughtUp(): Promise<boolean> {
    const before = this.#came;
    for (let round = 0; round < CAUGHT_UP_ROUNDS; round++) {
      await this.#send(["display-message", "-p", ""]);
      if (this.#came !== before) return false;
    }
    return true;
  }

  /** A shell has forgotten the rest of the line, and mark D with it. */
  async #recover(): Promise<void> {
    const { record } = this.#options;
    try {
      const { status, prompt } = await askForStatus({
        ...this.#options,
        paneId: record.paneId,
        marks: newMarks(this.#marks.secret),
        // Through the command's own client, whose replies say which of its bytes came before.
        send: this.#send,
        asks: () => this.#held = [],
      });
      record.output.push(prompt.erasure(this.#prompt));
      await this.#over((restored) => record.complete(status, restored));
    } catch {
      // There is text at the prompt, or the shell is busy again: the next look decides.
      for (const bytes of this.#held ?? []) record.output.push(bytes);
      this.#held = undefined;
    }
  }

  /** Output on the dead pane's screen that did not arrive. */
  async #readRest(): Promise<Uint8Array | undefined> {
    const { record, tmux, text } = this.#options;
    if (!record.begun || record.endedAt !== undefined) return undefined;
    const shown = await this.#remains.read(tmux, this.#prompt.absoluteRow);
    return await record.output.complete(shown?.slice(text.command.split("\n").length) ?? []);
  }

  async #buried(ending: Ending): Promise<void> {
    const { record, tmux } = this.#options;
    await this.#remains.bury(tmux, ending).catch(() => {});
    await record.paneEnded(ending);
  }

  #expect(ms: number, what: string): void {
    clearTimeout(this.#deadline);
    const left = this.#isHandedOver ? ms : Math.min(ms, this.#limit.left);
    this.#deadline = setTimeout(() => {
      const { record, dialect } = this.#options;
      this.#answered = true;
      this.#prompt.interrupt().catch(() => {}).then(() =>
        this.#fail(
          new AppError("timeout", `The shell in ${record.paneId} ${what} as ${dialect.name} does`, {
            hint: "Look with capture-pane; say which shell is there with shell, or use send-keys",
          }),
        )
      );
    }, left);
  }

  /** It can't go on: before its output began that is the caller's answer, after it the record is lost. */
  #fail(error: unknown): void {
    const { record } = this.#options;
    const failure = error instanceof AppError ? error : new AppError("internal", String(error));
    this.#begun.reject(failure);
    this.#over(() => record.lose(failure.message));
  }

  async #over(end: (restored: Promise<void>) => Promise<void>): Promise<void> {
    this.#answered = true;
    clearTimeout(this.#deadline);
    this.#interruption?.close();
    await end(this.#remains.release(this.#options.tmux).catch(() => {}));
    this.#begun.resolve();
    this.#stop();
  }

  #stop(): void {
    const { running, isStopped } = this.#options.record;
    if (!this.#isWatched && (!running || isStopped)) this.#handle?.stop();
  }
}
