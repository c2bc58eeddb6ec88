// Programs in front of a pane's shell, which takes no command meanwhile, and the tools to use with them.
import { describeWaiting, type PaneInspection, type PaneProcess } from "../../process/probe.ts";
import type { TrackedCommand } from "../tracked_command.ts";
import { type MachinePromptSites, readSite } from "../../watch/prompt_sites.ts";

/** A program that waits for input in front of a shell. */
export interface WaitingForeground {
  /** The program, and what it waits for. */
  waits: string;
  /** Tool that answers it. */
  hint: string;
}

/** Hint for a client that may have led to a shell. */
export const NAME_SHELL =
  "If a shell is waiting behind it, name that shell with shell (bash, zsh, fish, sh); otherwise use send-keys";

const MULTIPLEXERS = /^(tmux|screen)/;

/** True if the program shows panes of its own. */
export function isMultiplexer(program: string): boolean {
  return MULTIPLEXERS.test(program);
}

/** Returns the tool to use with a program, instead of one that types a command. */
export function toolFor(
  { foregroundCmd, inputKind, shell }: Pick<PaneInspection, "foregroundCmd" | "inputKind" | "shell">,
  { isFullScreen = false } = {},
): string {
  if (isMultiplexer(foregroundCmd)) {
    return "Run the command in a pane of the inner tmux server, selected by its socket";
  }
  if (inputKind === "password") return "Have a person type the password: ask-person";
  if (shell !== undefined) return "Answer it with send-keys";
  if (isFullScreen) return "Press its keys with send-keys, and see it with capture-pane";
  return "Use run-in-repl for a REPL, send-keys to type into it, watch-pane to wait for its end";
}

/** Returns the program of a running command that waits for input; undefined if none does, or its shell is back. */
export async function findWaiting(
  { state, tmux, output, shellPid }: Pick<TrackedCommand, "state" | "tmux" | "output" | "shellPid">,
  { pane, prompts }: { pane: PaneProcess; prompts: MachinePromptSites },
): Promise<WaitingForeground | undefined> {
  // In other states its shell reads what is typed for it.
  if (state !== "running") return undefined;
  const { inspector } = tmux.machine;
  const inspection = await inspector.inspect(pane);
  if (!inspection.waitingForInput) return undefined;
  const site = readSite(inspection, inspector);
  const asks = site !== undefined && (site.asks || !prompts.of(tmux.machine).mayBe(site));
  if (inspection.shell !== undefined && !asks) return undefined;
  await output.flush();
  // The kernel alone takes `read -e` for a prompt.
  const waits = describeWaiting({ ...inspection, isPrompt: false });
  // A command whose own shell can't be seen already runs behind the client: naming a shell would not help.
  const isClient = shellPid !== undefined && inspection.beside?.what === "a program on the far side";
  return { waits, hint: isClient ? NAME_SHELL : toolFor(inspection, output) };
}
