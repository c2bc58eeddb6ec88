// Waits for the mark that ends a command's state, until a deadline or until the shell has given up.
import { delay } from "../timer.ts";

/** Shell that is expected to print the mark. */
export interface MarkingShell {
  waits(): Promise<boolean>;
  /** Settles once tmux has sent the shell everything typed so far, and delivered all output from before. */
  askTmux(): Promise<unknown>;
}

/** Callbacks for a wait that ends without the mark. */
export interface MissedMark {
  ms: number;
  late(): void;
  /** Present if the shell can be observed to be back at its prompt. */
  shell?: MarkingShell | undefined;
  gaveUp(): void;
}

const POLL_MS = 150;
/** Number of consecutive polls in which the shell must wait, to be sure that it has read all that was typed. */
const POLLS = 3;

export class DueMark {
  #ended = new AbortController();

  /** Starts to wait for a mark; ends the wait for an earlier one. */
  wait({ ms, late, shell, gaveUp }: MissedMark): void {
    this.end();
    const { signal } = this.#ended = new AbortController();
    const timer = setTimeout(late, ms);
    signal.addEventListener("abort", () => clearTimeout(timer));
    // A failure means that the pane has ended, which is reported elsewhere.
    if (shell) isBack(shell, signal).then((back) => back && gaveUp(), () => {});
  }

  /** Ends the wait: the mark has come, or nothing waits for it any more. */
  end(): void {
    this.#ended.abort();
  }
}

async function isBack({ waits, askTmux }: MarkingShell, signal: AbortSignal): Promise<boolean> {
  for (let waited = 0; waited < POLLS;) {
    await delay(POLL_MS, signal);
    if (signal.aborted) return false;
    await askTmux();
    waited = await waits() ? waited + 1 : 0;
  }
  await askTmux();
  return !signal.aborted;
}
