// Notices that a shell is back at its prompt although its command never reported its end.
import type { PaneInspection, PaneProcess } from "../../process/probe.ts";
import type { ProcessInspector } from "../../process/process_inspector.ts";
import { bestEffort } from "../../promises.ts";

/** A shell that the kernel shows. */
export interface SeenShell {
  pid: number;
  /** The shell's program image when the command was typed, which changes with each exec; undefined if unknown. */
  image: string | undefined;
  /** One inspection of its pane: some tens of microseconds on this machine. */
  inspect(): PaneInspection | Promise<PaneInspection>;
  imageNow(): string | undefined | Promise<string | undefined>;
  /** Number of times it has gone to sleep; undefined where the system does not count. */
  sleeps(): number | undefined | Promise<number | undefined>;
}

/** The shell a command is typed to, as the kernel shows it now. */
export async function seeShell(
  inspector: ProcessInspector,
  pane: PaneProcess,
  pid: number,
): Promise<SeenShell> {
  return {
    pid,
    image: await inspector.image(pid),
    inspect: () => inspector.inspect(pane),
    imageNow: () => inspector.image(pid),
    sleeps: () => inspector.sleeps(pid),
  };
}

export interface InterruptionOptions {
  shell: SeenShell;
  /** Settles once tmux has answered; all output that it handed over before has come by then. */
  askTmux(): Promise<unknown>;
  /** True if the pane shows the prompt that the command was typed at. */
  showsPrompt(): Promise<boolean>;
  /** Called when the shell was interrupted and waits, and called again later if that has not ended the command. */
  returned(): Promise<void>;
}

const POLL_MS = 250;
const CAUGHT_UP_ROUNDS = 2;
/** Most bytes between `^C` and the end of the prompt after it. */
const TAIL_BYTES = 2048;
/** Stands for the end of output that was lost: an unfinished line. */
const UNKNOWN = "?";
/** A shell prints its prompt at once: once the output has rested for longer, asking again shows nothing new. */
const MAX_QUIET_POLLS = 8;

/**
 * A shell that waits may also be reading for its command (`read x`), so there must be a reason: the terminal's echo of
 * Ctrl-C stands near the end of the output, or the shell has replaced itself (`exec bash`), or it shows its prompt
 * again (an error that ends all it was doing, SIGINT by kill).
 */
export class Interruption {
  readonly #options: InterruptionOptions;
  #tail = "";
  /** Bytes of output that came so far. */
  #came = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #backs = 0;
  #quietPolls = 0;
  #asking = false;
  /** `returned` runs now, and the number of times it has begun. */
  #isReturned = false;
  #returns = 0;

  constructor(options: InterruptionOptions) {
    this.#options = options;
  }

  /** The command has begun. */
  watch(): void {
    this.#timer ??= setInterval(() => this.#poll(), POLL_MS);
  }

  saw(bytes: Uint8Array): void {
    this.#came += bytes.length;
    const text = new TextDecoder("latin1").decode(bytes.subarray(-TAIL_BYTES));
    this.#tail = (this.#tail + text).slice(-TAIL_BYTES);
    this.#quietPolls = 0;
  }

  /** Output was lost, perhaps with the mark that ends the command: the prompt may be shown already. */
  lost(): void {
    this.#tail = UNKNOWN;
    this.#quietPolls = 0;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** True if the shell, which waits, does so at its prompt and not for its command (`read x`). */
  async isAtPrompt(): Promise<boolean> {
    const returns = this.#returns;
    const isSeen = !await this.#isCaughtUp() || await this.#isCertain() || await this.#options.showsPrompt();
    // It was seen there before, and its prompt may show keys of ours since.
    return isSeen || this.#isReturned || this.#returns !== returns;
  }

  /**
   * True if no output is on the way: after 300 MB the shell was at its prompt while tmux still held the last 34, and
   * mark D. Asked twice, since a pipe is read beside tmux's answers.
   */
  async #isCaughtUp(): Promise<boolean> {
    const before = this.#came;
    for (let round = 0; round < CAUGHT_UP_ROUNDS; round++) {
      await this.#options.askTmux();
      if (this.#came !== before) return false;
    }
    return true;
  }

  /** One inspection at a time; a machine that does not answer is asked again. */
  #poll(): void {
    if (this.#asking) return;
    this.#asking = true;
    bestEffort(this.#inspect()).finally(() => this.#asking = false);
  }

  async #inspect(): Promise<void> {
    const certain = await this.#isCertain();
    if (!certain && !this.#mayShowPrompt()) return;
    const { shell, showsPrompt, returned } = this.#options;
    const inspection = await shell.inspect();
    const isBack = inspection.shell !== undefined && inspection.waitingForInput &&
      inspection.foregroundPid === shell.pid;
    this.#backs = isBack ? this.#backs + 1 : 0;
    if (this.#backs < 2) return;
    this.#backs = 0;
    if (!await this.#isCaughtUp()) return;
    if (!certain && !await showsPrompt()) return;
    this.#isReturned = true;
    this.#returns++;
    await returned().finally(() => this.#isReturned = false);
    // It may not have been asked, as another server was typing there.
    this.#quietPolls = 0;
  }

  /** A prompt leaves its line unfinished. */
  #mayShowPrompt(): boolean {
    return /[^\n]$/.test(this.#tail) && ++this.#quietPolls <= MAX_QUIET_POLLS;
  }

  async #isCertain(): Promise<boolean> {
    return this.#tail.includes("^C") || await this.#isReplaced();
  }

  async #isReplaced(): Promise<boolean> {
    const { image, imageNow } = this.#options.shell;
    return image !== undefined && await imageNow() !== image;
  }
}
