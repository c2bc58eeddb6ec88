// Shell of a command that another server process ran: whether it is back at its prompt.
import type { Tmux } from "../../tmux/tmux.ts";
import type { FoundPane } from "../../watch/pane_refs.ts";
import { asksQuestion } from "../../watch/prompt_sites.ts";
import { hasAbandonedLoader } from "../prompt/abandoned_loader.ts";
import type { TrackedCommand } from "../tracked_command.ts";

export interface ShellCheck {
  /** True if the shell waits for a command, and for no answer to a question. */
  isBack: boolean;
  /** True if it did so at the last check, too. */
  isStill: boolean;
  /** True if its loader waits for a command that nothing gives it any more; the loader reads as a question does. */
  isLoading: boolean;
  /** True if its process is gone and another shell waits, as at the last check. */
  isGone: boolean;
}

export class RecoveredShell {
  /** Consecutive checks in which it was back. */
  #checks = 0;
  #goneChecks = 0;

  async check(tmux: Tmux, pane: FoundPane, tracked: TrackedCommand): Promise<ShellCheck> {
    const { inspector } = tmux.machine;
    const state = await inspector.inspect(pane);
    const isLoading = state.waitingForInput && await readsLoader(tmux, tracked);
    const waits = state.shell !== undefined && state.waitingForInput &&
      state.foregroundPid === tracked.shellPid;
    const isBack = isLoading || waits && !asksQuestion(state, inspector);
    this.#checks = isBack ? this.#checks + 1 : 0;
    const isOther = state.shell !== undefined && state.waitingForInput && tracked.shellPid !== undefined;
    const isGone = isOther && await inspector.startTime(tracked.shellPid!) === undefined;
    this.#goneChecks = isGone ? this.#goneChecks + 1 : 0;
    return { isBack, isStill: this.#checks >= 2, isLoading, isGone: this.#goneChecks >= 2 };
  }
}

/** True if the shell of a command still reads the loader: below output of the command, it would be another one's. */
export async function readsLoader(tmux: Tmux, { paneId, output }: TrackedCommand): Promise<boolean> {
  return output.lines.bytes === 0 && await hasAbandonedLoader(tmux, paneId);
}
