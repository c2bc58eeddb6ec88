// Names the command that keeps a pane busy, if another server process runs it.
import { hasCode } from "../errors.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { MachinePromptSites } from "../watch/prompt_sites.ts";
import type { FoundPane } from "../watch/pane_refs.ts";
import type { RecoveredCommands } from "./durable/recovered_commands.ts";
import { findWaiting } from "./prompt/foreground_program.ts";
import { runsThere } from "./refusals.ts";

export interface BusyElsewhere {
  pane: FoundPane;
  tmux: Tmux;
  /** Undefined if commands aren't kept on disk. */
  recovered: RecoveredCommands | undefined;
  prompts: MachinePromptSites;
}

/** Throws the error; for a busy pane one that names the command that another server process runs there. */
export async function throwNamed(
  error: unknown,
  { pane, tmux, recovered, prompts }: BusyElsewhere,
): Promise<never> {
  const isBusy = hasCode(error, "busy");
  const running = isBusy ? await recovered?.runningIn(pane, tmux.machine.host) : undefined;
  if (running === undefined) throw error;
  const { output, shellPid } = running;
  // The states before "running" pass in the process that types the command.
  const waiting = await findWaiting({ state: "running", tmux, output, shellPid }, { pane, prompts });
  throw runsThere(running, waiting);
}
