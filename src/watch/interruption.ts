// Notices that a shell is back at its prompt although its command never said it was done.
import type { PaneLook } from "../process/probe.ts";

export interface InterruptionOptions {
  /** One look at the pane: some tens of microseconds. */
  look(): PaneLook;
  /** Another after each exec of a process; undefined where that can't be known. */
  image(pid: number): string | undefined;
  /** The shell was interrupted and waits; asked again later while this fails to end the command. */
  returned(): Promise<void>;
}

const LOOK_MS = 250;
/** What is printed between `^C` and the end of the prompt after it. */
const TAIL_BYTES = 2048;

/**
 * A shell that waits may also be reading for its command (`read x`), so there must be a reason: the terminal's echo of
 * Ctrl-C stands near the end of the output, or the shell has replaced itself (`exec bash`).
 */
export class Interruption {
  readonly #options: InterruptionOptions;
  #tail = "";
  readonly #shellPid: number;
  readonly #image: string | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #looks = 0;
  #asking = false;

  constructor(options: InterruptionOptions) {
    this.#options = options;
    this.#shellPid = options.look().foregroundPid;
    this.#image = options.image(this.#shellPid);
  }

  /** The command has begun. */
  watch(): void {
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS);
  }

  saw(bytes: Uint8Array): void {
    const text = new TextDecoder("latin1").decode(bytes.subarray(-TAIL_BYTES));
    this.#tail = (this.#tail + text).slice(-TAIL_BYTES);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    if (this.#asking || !(this.#tail.includes("^C") || this.#isReplaced())) return;
    const look = this.#options.look();
    const returned = look.shell !== undefined && look.waitingForInput &&
      look.foregroundPid === this.#shellPid;
    this.#looks = returned ? this.#looks + 1 : 0;
    if (this.#looks < 2) return;
    this.#looks = 0;
    this.#asking = true;
    this.#options.returned().finally(() => this.#asking = false);
  }

  #isReplaced(): boolean {
    return this.#image !== undefined && this.#options.image(this.#shellPid) !== this.#image;
  }
}
