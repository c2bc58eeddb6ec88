// The end of a pane's own process, and how it ended.
import { type Ending, isKnown } from "../src/process/ending.ts";
import { ifDescriptorsLeft } from "./descriptor_shortage.ts";
import type { ExitNotifier } from "./exit_notifier.ts";
import { delay } from "../src/timer.ts";

/** Time (ms) to ask the kernel for the exit code of a process that is gone; then its end is reported without one. */
export const ENDING_MS = 60;
export const ENDING_POLL_MS = 10;

export class PaneExit {
  readonly #exit: ExitNotifier;
  readonly #lived: boolean;

  /** `lived`: the process was alive when `exit` began to watch for its end. */
  constructor(exit: ExitNotifier, lived: boolean) {
    this.#exit = exit;
    this.#lived = lived;
  }

  /** True if the process is still the same and alive. */
  get isAlive(): boolean {
    return ifDescriptorsLeft(() => this.#lived && !this.#exit.ended, true);
  }

  /** Ending as the kernel reports it; undefined until the process is gone. */
  get kernelEnding(): Ending | undefined {
    return ifDescriptorsLeft(() => this.#exit.poll(), undefined);
  }

  /** True if the end will be reported without polling. */
  get notifies(): boolean {
    return this.#exit.notifies;
  }

  poll(): Ending | undefined {
    return this.#exit.poll();
  }

  /** Returns the ending as tmux reports it, or else as the kernel does. */
  async ending(reported: Ending): Promise<Ending> {
    if (isKnown(reported)) return reported;
    for (let waited = 0; waited < ENDING_MS; waited += ENDING_POLL_MS) {
      const known = this.kernelEnding;
      if (known) return known;
      await delay(ENDING_POLL_MS);
    }
    return {};
  }

  close(): void {
    this.#exit.close();
  }
}
