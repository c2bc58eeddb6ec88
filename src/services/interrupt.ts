// Interrupts the program of a service.
import { ifTrue } from "../tmux/conditions.ts";
import type { Command } from "../tmux_exec/exec.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { Watches } from "../watch/watches.ts";

/** Time after which a program that ignores Ctrl-C is ended with its pane (s). */
const END_SECONDS = 5;
const CTRL_C = "\x03";

/** Sends Ctrl-C to the program in front in a pane, and waits for the shell. Returns true if that ended the program. */
export async function interrupt(
  paneId: string,
  { tmux, signal, watches }: { tmux: Tmux; signal: AbortSignal; watches: Watches },
): Promise<boolean> {
  const source = await watches.paneSource(tmux, [paneId]);
  const request = { tmux, triggers: await watches.triggers("shell"), timeout: END_SECONDS };
  const result = await watches.wait(source, request, {
    signal,
    whenFollowing: async () => {
      await pressCtrlC(tmux, paneId);
      return false;
    },
  });
  return result?.event !== "timeout";
}

/**
 * Pastes it: a pressed key would reach synchronized panes too, and in copy mode it would only end that. Nothing can be
 * pasted while the pane's input is off.
 */
async function pressCtrlC(tmux: Tmux, paneId: string): Promise<void> {
  const ready = ifTrue(paneId, "#{pane_input_off}", { then: [["select-pane", "-e", "-t", paneId]] });
  const paste = (...commands: Command[]) => tmux.run([["has-session", "-t", paneId], ready, ...commands]);
  await tmux.input.feed(paneId, CTRL_C, paste);
}
