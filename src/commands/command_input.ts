// Gives a shell its command: types the loader at its prompt, then pastes the command once the shell reads without echo.
import type { Dialect, Ready } from "../shell/dialect.ts";
import { type AppError, isOutOfReach } from "../errors.ts";
import { bestEffort, handledLater } from "../promises.ts";
import { timerMs, within } from "../timer.ts";
import type { MarkRef } from "../watch/protocol.ts";
import { commandPayload, dialectFor, type PayloadParts } from "./payload.ts";
import { PaneKeys } from "./prompt/pane_keys.ts";
import { startPipe } from "../tmux/spool_pipe.ts";
import type { Command, Send } from "../tmux_exec/exec.ts";
import type { ShellAtPrompt } from "./prompt/shell_at_prompt.ts";
import { ShellPrompt } from "./prompt/shell_prompt.ts";
import { cannotRun, noStty, usesWholeScreen } from "./refusals.ts";
import type { CommandRunOptions } from "./run_options.ts";

export interface CommandInputOptions extends Pick<CommandRunOptions, "tmux" | "tracked" | "text" | "until"> {
  marks: MarkRef;
  send: Send;
}

/** Time (s) to start a command whose caller does not wait: a call may last at most a second longer than its timeout. */
const START_SECONDS = 0.85;
/** Time (s) for a new shell to reach its prompt: a call that fails would end what it has just created. */
const NEW_SHELL_SECONDS = 20;

/** Words that can end the shell that reads them: `set -e` and a script that is sourced can, too. */
const ENDING_WORDS = /\b(?:exit|exec|logout|bye|return|kill|set|source)\b|(?:^|[\s;&|({])\.\s/;
/** Time (s) that the pipe stays, where `sleep` takes fractions; a command that runs longer gets another one. */
const HOLD_SECONDS = 0.3;

/** Returns the deadline for typing a command (`performance.now()`). */
export function typingDeadline(
  { timeout, isNewShell = false }: { timeout: number; isNewShell?: boolean | undefined },
): number {
  const leastSeconds = isNewShell ? NEW_SHELL_SECONDS : 0;
  return performance.now() + timerMs(Math.max(timeout + START_SECONDS, leastSeconds));
}

/** Keys that remove the blanks with which the line is probed. */
const BLANKS = ["C-e", "BSpace"];

export class CommandInput {
  /** The prompt that the command is typed at. */
  readonly prompt: ShellPrompt;
  readonly limit: TimeLimit;
  readonly #options: CommandInputOptions;
  readonly #keys: PaneKeys;
  /** Settles once a later server could recognize the mark that ends the command. */
  readonly #provable: Promise<void> | undefined;
  #hasTyped = false;
  /** True if tmux did not answer in time; it may still do what it was asked. */
  #isUnanswered = false;
  /** Dialect in which the command is typed; set before the loader is typed. */
  #dialect!: Dialect;

  constructor(options: CommandInputOptions) {
    const { tracked, until, marks } = options;
    this.#options = options;
    this.limit = new TimeLimit(tracked.paneId, until);
    this.#keys = new PaneKeys(tracked.paneId, this.#sendInTime);
    this.prompt = new ShellPrompt(this.#keys);
    this.#provable = tracked.journal?.expect(marks.secret);
  }

  /** True if tmux did not answer as it was asked to type, and may still do so. */
  get mayBeTyped(): boolean {
    return this.#hasTyped && this.#isUnanswered;
  }

  /** Types the loader; Enter waits for `held`. `row` is the cursor's last known row. */
  async type(
    shell: ShellAtPrompt,
    { row, held, signal }: { row: number; held: Promise<void>; signal: AbortSignal | undefined },
  ): Promise<void> {
    await this.prompt.read({ waits: shell.seen !== undefined, row, seen: shell.seen });
    signal?.throwIfAborted();
    // The kernel shows only the client that leads to the far side, and an editor may run there.
    if (!shell.seen && await this.#keys.onAlternateScreen()) throw usesWholeScreen(this.#keys.paneId);
    await this.#options.tmux.checkPreconditions();
    this.#dialect = dialectFor(shell, this.#payloadParts, this.prompt.tallestView);
    await this.prompt.typeLoader({ ...shell, dialect: this.#dialect }, held).catch(async (error) => {
      // A tmux that does not answer reads these keys after what it has yet to type.
      if (this.#isUnanswered) void this.#takeBack(this.prompt.isEntered ? ["C-c"] : BLANKS);
      else if (this.limit.remaining < 0) await this.#takeBack(BLANKS);
      throw error;
    });
  }

  /** Pastes the command at mark R, when the shell reads without echo. `mayGive` is checked at the last moment. */
  async give({ took }: ShellAtPrompt, ready: Ready, mayGive: () => boolean): Promise<void> {
    const { text, tracked, tmux, send } = this.#options;
    took?.();
    if (this.#dialect.setsTerminal && ready.tty === "") throw noStty(tracked.paneId);
    const checks = Promise.all([this.prompt.view(), this.#keys.title(), tmux.checkPreconditions()]);
    handledLater(checks);
    await this.#provable;
    // Written to disk before the shell has the command, while tmux is answering.
    const { prompt } = this;
    const row = prompt.row + prompt.rowBelow(text.command) - prompt.absoluteRow;
    tracked.openJournal({ row, promptRow: prompt.absoluteRow, promptLine: prompt.line });
    const [view, title] = await checks;
    if (!mayGive()) return;
    tracked.begin(row);
    // The command reaches tmux the same way, after this.
    // Every other command is spared the pipe, which makes `true` 1.14 times as slow.
    if (ENDING_WORDS.test(text.command)) bestEffort(send(holdOutput(tracked.paneId)));
    const payload = commandPayload(this.#dialect, this.#payloadParts, { view, ready, title });
    await tmux.input.feed(tracked.paneId, payload, send);
  }

  get #payloadParts(): PayloadParts {
    const { text, marks, tracked } = this.#options;
    return { text, marks, statusFile: tracked.journal?.statusFile };
  }

  readonly #sendInTime: Send = async (...commands) => {
    const { tracked, send } = this.#options;
    if (tracked.state === "typing") this.limit.check();
    this.#hasTyped ||= commands.some(([name]) => name === "send-keys");
    return await send(...commands).catch((error) => {
      this.#isUnanswered ||= isOutOfReach(error);
      throw error;
    });
  };

  /** Presses keys that undo what was typed; fails silently if the pane is gone. */
  async #takeBack(keys: readonly string[]): Promise<void> {
    const { tracked: { paneId }, send } = this.#options;
    if (this.#hasTyped) await bestEffort(send(["send-keys", "-t", paneId, ...keys]));
  }
}

/** Time limit for typing a command; after it, the caller already has a result. */
class TimeLimit {
  readonly #paneId: string;
  readonly #until: number;

  /** `until` is a time of `performance.now()`. */
  constructor(paneId: string, until: number) {
    this.#paneId = paneId;
    this.#until = until;
  }

  /** Milliseconds that remain; negative once the time is over. */
  get remaining(): number {
    return this.#until - performance.now();
  }

  /** @throws {AppError} `timeout` once the time is over */
  check(): void {
    if (this.remaining < 0) throw this.#noTime();
  }

  /** Settles as `promise` does, or with `late()` once time is up; without `late` it rejects with `timeout`. */
  async within<T>(promise: Promise<T>, late?: () => T | Promise<T>): Promise<T> {
    return await within(promise, {
      ms: Math.max(this.remaining, 0),
      late: () => {
        if (late) return late();
        throw this.#noTime();
      },
    });
  }

  #noTime(): AppError {
    return cannotRun(this.#paneId, "the timeout passed before it was typed", {
      code: "timeout",
      hint: "Check the pane with capture-pane, then call again with a longer timeout",
    });
  }
}

/**
 * Returns the command that gives a pane without a pipe one for a moment. tmux closes a pane whose program has ended
 * with all that it has not read from it, unless the pane has a pipe (`window_pane_destroy_ready`, window.c; 60 of 1,000
 * commands of four callers, with the pipe 14 of 6,200; 3.3a). `-I` lets tmux notice at once that the pipe has ended.
 */
function holdOutput(paneId: string): Command {
  return startPipe(paneId, `sleep ${HOLD_SECONDS} || exec sleep 1`, ["display-message", "-p", ""]);
}
