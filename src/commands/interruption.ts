// Detects that a shell is back at its prompt, or has ended, although its command never reported its end.
import { bestEffort } from "../promises.ts";
import { SHELL_GONE } from "./durable/lost_reasons.ts";
import type { SeenShell, Taker } from "./seen_shell.ts";

export interface InterruptionOptions {
  taker: Taker;
  /** The taker, if that is the shell. */
  seen: SeenShell | undefined;
  /** Settles once tmux has replied; all output that tmux delivered before has arrived by then. */
  askTmux(): Promise<unknown>;
  /** True if the pane shows the prompt that the command was typed at. */
  showsPrompt(): Promise<boolean>;
  /** Called when the shell was interrupted and waits; called again later if that has not ended the command. */
  returned(): Promise<void>;
  /** Called when the shell, or the client that led to it, has ended and another shell waits. */
  ended(reason: string): void;
}

const POLL_MS = 250;
const CAUGHT_UP_ROUNDS = 2;
/** Maximum number of bytes between `^C` and the end of the prompt that follows it. */
const TAIL_BYTES = 2048;
/** Stands for the end of lost output: an unfinished line. */
const UNKNOWN = "?";
/** A shell prints its prompt at once, so after this many polls without output another poll shows nothing new. */
const MAX_QUIET_POLLS = 8;
/** Number of times that a shell which can't be seen is asked for the status. */
const MAX_UNSEEN = 3;

/**
 * Detector of interrupted commands. A waiting shell may also be reading on behalf of its command (`read x`), so more
 * evidence is needed: the terminal's echo of Ctrl-C near the end of the output, a shell that has replaced itself
 * (`exec bash`), or the prompt being shown again (after an error that ended all the shell was doing, or a SIGINT sent
 * with kill). A shell that can't be seen must show both the echo and the prompt.
 */
export class Interruption {
  readonly #options: InterruptionOptions;
  #tail = "";
  /** Bytes of output received so far. */
  #received = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #backPolls = 0;
  #quietPolls = 0;
  #asking = false;
  /** True while `returned` runs. */
  #isReturned = false;
  #returns = 0;
  /** The same of a shell that can't be seen. */
  #unseenReturns = 0;

  constructor(options: InterruptionOptions) {
    this.#options = options;
  }

  /** Starts to poll: the command has begun. */
  watch(): void {
    this.#timer ??= setInterval(() => this.#poll(), POLL_MS);
  }

  saw(bytes: Uint8Array): void {
    this.#received += bytes.length;
    const text = new TextDecoder("latin1").decode(bytes.subarray(-TAIL_BYTES));
    this.#tail = (this.#tail + text).slice(-TAIL_BYTES);
    this.#quietPolls = 0;
  }

  /** Notes that output was lost, perhaps with the mark that ends the command; the prompt may already be shown. */
  lost(): void {
    this.#tail = UNKNOWN;
    this.#quietPolls = 0;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** True if a waiting shell waits at its prompt, and not on behalf of its command (`read x`). */
  async isAtPrompt(): Promise<boolean> {
    const returns = this.#returns;
    const isSeen = !await this.#isCaughtUp() || await this.#isCertain() || await this.#options.showsPrompt();
    // It was seen at its prompt before, and that prompt may show keys of ours since.
    return isSeen || this.#isReturned || this.#returns !== returns;
  }

  /**
   * True if no output is on its way: after 300 MB of output the shell was at its prompt while tmux still held the
   * last 34 MB, and mark D. tmux is asked twice, because a pipe is read independently of tmux's replies.
   */
  async #isCaughtUp(): Promise<boolean> {
    const before = this.#received;
    for (let round = 0; round < CAUGHT_UP_ROUNDS; round++) {
      await this.#options.askTmux();
      if (this.#received !== before) return false;
    }
    return true;
  }

  /** Starts an inspection unless one is running; a machine that does not reply is asked again. */
  #poll(): void {
    if (this.#asking) return;
    this.#asking = true;
    bestEffort(this.#inspect()).finally(() => this.#asking = false);
  }

  async #inspect(): Promise<void> {
    const { taker, seen, showsPrompt, returned, ended } = this.#options;
    const isInterrupted = await this.#isCertain();
    const certain = isInterrupted && seen !== undefined;
    if (!certain && !this.#mayShowPrompt()) return;
    const inspection = await taker.inspect();
    const waits = inspection.shell !== undefined && inspection.waitingForInput;
    const isInFront = inspection.foregroundPid === taker.pid;
    const isGone = waits && !isInFront && await taker.isGone();
    const isBack = isInFront && (seen ? waits : isInterrupted);
    this.#backPolls = isBack || isGone ? this.#backPolls + 1 : 0;
    if (this.#backPolls < 2) return;
    this.#backPolls = 0;
    if (!await this.#isCaughtUp()) return;
    if (isGone) return ended(SHELL_GONE);
    if (!certain && !await showsPrompt()) return;
    this.#isReturned = true;
    this.#returns++;
    await returned().finally(() => this.#isReturned = false);
    // A program that can't be seen may show the same and be no shell.
    if (!seen && ++this.#unseenReturns >= MAX_UNSEEN) return this.lost();
    // The shell may not have been asked for its status, because another server was typing there.
    this.#quietPolls = 0;
  }

  /** True if the output may end in a prompt, which leaves its line unfinished. */
  #mayShowPrompt(): boolean {
    return /[^\n]$/.test(this.#tail) && ++this.#quietPolls <= MAX_QUIET_POLLS;
  }

  async #isCertain(): Promise<boolean> {
    return this.#tail.includes("^C") || await this.#isReplaced();
  }

  async #isReplaced(): Promise<boolean> {
    const { seen } = this.#options;
    return seen?.image !== undefined && await seen.imageNow() !== seen.image;
  }
}
