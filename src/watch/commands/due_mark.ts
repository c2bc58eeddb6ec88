// Waits for the mark that ends a state of a command, until its deadline or until its shell has given up.
import { delay } from "../../timer.ts";

/** The shell that is to print the mark. */
export interface MarkingShell {
  /** True if it waits at its prompt. */
  waits(): Promise<boolean>;
  /** Settles once tmux has sent it what was typed, and handed over the output that came before. */
  askTmux(): Promise<unknown>;
}

/** How the wait for a mark can end without one. */
export interface MissedMark {
  ms: number;
  late(): void;
  /** Its shell is back at its prompt; absent where that can't be seen. */
  shell?: MarkingShell | undefined;
  gaveUp(): void;
}

const POLL_MS = 150;
/** A shell that waits at each of these polls has read all that was typed. */
const POLLS = 3;

export class DueMark {
  #ended = new AbortController();

  /** Ends the wait before. */
  wait({ ms, late, shell, gaveUp }: MissedMark): void {
    this.end();
    const { signal } = this.#ended = new AbortController();
    const timer = setTimeout(late, ms);
    signal.addEventListener("abort", () => clearTimeout(timer));
    // The end of a pane is reported elsewhere.
    if (shell) isBack(shell, signal).then((back) => back && gaveUp(), () => {});
  }

  /** The mark has come, or nobody waits for it any more. */
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
