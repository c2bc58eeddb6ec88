// Notices that a shell is back at its prompt although its command never said it was done.
import type { PaneLook } from "../process/probe.ts";

export interface InterruptionOptions {
  /** One look at the pane: some tens of microseconds. */
  look(): PaneLook;
  /** The shell was interrupted and waits; asked again later while this fails to end the command. */
  returned(): Promise<void>;
}

const LOOK_MS = 250;
/** What is printed between `^C` and the end of the prompt after it. */
const TAIL_BYTES = 2048;

/**
 * A shell that waits may also be reading for its command (`read x`), so the terminal's echo of Ctrl-C must be the
 * reason: it stands near the end of the output.
 */
export class Interruption {
  readonly #options: InterruptionOptions;
  #tail = "";
  #shellPid = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #looks = 0;
  #asking = false;

  constructor(options: InterruptionOptions) {
    this.#options = options;
    this.#shellPid = options.look().foregroundPid;
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
    if (this.#asking || !this.#tail.includes("^C")) return;
    const look = this.#options.look();
    const returned = look.shell !== undefined && look.waitingForInput &&
      look.foregroundPid === this.#shellPid;
    this.#looks = returned ? this.#looks + 1 : 0;
    if (this.#looks < 2) return;
    this.#looks = 0;
    this.#asking = true;
    this.#options.returned().finally(() => this.#asking = false);
  }
}
