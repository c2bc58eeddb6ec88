// The end of a pane's own process, and how it ended.
import { type Ending, isKnown } from "../../src/process/ending.ts";
import type { PaneInspection } from "../../src/process/probe.ts";
import { isBlind } from "../../src/process/unseen.ts";
import { ifDescriptorsLeft } from "./descriptor_shortage.ts";
import { ExitNotifier } from "./exit_notifier.ts";
import { delay } from "../../src/timer.ts";

/** Time (ms) to ask the kernel for the exit code of a process that is gone; then its end is reported without one. */
export const ENDING_MS = 60;
export const ENDING_POLL_MS = 10;

export class PaneExit extends ExitNotifier {
  readonly #lived: boolean;
  /** True if only tmux tells when the process has ended. */
  readonly isBlind: boolean;
  #isReported = false;

  /** `inspection`: from before the process's end was watched for. */
  constructor(inspection: PaneInspection, ...watched: ConstructorParameters<typeof ExitNotifier>) {
    super(...watched);
    this.#lived = inspection.isAlive;
    this.isBlind = isBlind(inspection);
  }

  /** True if the process is still the same and alive. */
  get isAlive(): boolean {
    return ifDescriptorsLeft(() => this.#lived && !this.ended, true);
  }

  /** True once tmux has reported the end. */
  get isReported(): boolean {
    return this.#isReported;
  }

  /** Ending as the kernel reports it; undefined until the process is gone. */
  get kernelEnding(): Ending | undefined {
    return ifDescriptorsLeft(() => this.poll(), undefined);
  }

  /** Returns the ending as tmux reports it, or else as the kernel does. */
  async ending(reported: Ending): Promise<Ending> {
    this.#isReported = true;
    if (isKnown(reported)) return reported;
    for (let waited = 0; waited < ENDING_MS; waited += ENDING_POLL_MS) {
      const known = this.kernelEnding;
      if (known) return known;
      await delay(ENDING_POLL_MS);
    }
    return {};
  }
}
