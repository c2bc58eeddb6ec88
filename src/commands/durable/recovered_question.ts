// Waits for a question of a command that another server process ran.
import { paneGone } from "../../errors.ts";
import type { PaneInspection } from "../../process/probe.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import { untilAsked } from "../command_question.ts";
import type { WaitingProgram } from "../../watch/handed_over.ts";
import { asksQuestion } from "../../watch/prompt_sites.ts";
import type { TrackedCommand } from "../tracked_command.ts";
import { readPaneScreen } from "../../watch/followed_screen.ts";
import { findPanes } from "../../watch/pane_refs.ts";
import { readsLoader } from "./recovered_shell.ts";
import type { StoredCommand } from "./stored_command.ts";

export interface RecoveredQuestion {
  tmux: Tmux;
  /** The command as its record is now. */
  stored(): StoredCommand;
  tracked: TrackedCommand;
  /** True if a waiting shell is at its prompt, or the command has ended. */
  isAtPrompt(): Promise<boolean>;
}

/** @throws {AppError} if it can't be observed whether the program waits */
export async function untilRecoveredAsks(
  { tmux, stored, tracked, isAtPrompt }: RecoveredQuestion,
  time: { until: number; signal: AbortSignal },
): Promise<WaitingProgram | undefined> {
  const { paneId, panePid, shellPid } = stored();
  const [pane] = await findPanes(tmux, [paneId]);
  if (shellPid === undefined || pane?.panePid !== panePid) throw paneGone(paneId);
  const { inspector } = tmux.machine;
  const shell = {
    pid: shellPid,
    inspect: async () => {
      const now = await inspector.inspect(pane);
      // A loader that waits for its command asks nobody.
      const isLoading = now.waitingForInput && await readsLoader(tmux, tracked);
      return isLoading ? { ...now, waitingForInput: false } : now;
    },
    asks: (inspection: PaneInspection) => asksQuestion(inspection, inspector),
    isGone: async () => await inspector.startTime(shellPid) === undefined,
  };
  const screen = () => readPaneScreen(tmux, paneId);
  return await untilAsked({ tracked, shell, isAtPrompt, screen }, time);
}
