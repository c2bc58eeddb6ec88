// Finds the shell that a running command has started (`bash`, `sudo -s`, `ssh host`); the next command goes to it.
import { type PaneInspection, type PaneProcess, readerOf } from "../../process/probe.ts";
import type { ProcessInspector } from "../../process/process_inspector.ts";
import { leadsToShell } from "../../process/relay_programs.ts";
import { findDialect } from "../../shell/dialects.ts";
import { readSite } from "../../watch/prompt_sites.ts";
import type { TrackedCommand } from "../tracked_command.ts";
import { delay } from "../../timer.ts";

/** Time (ms) that an inner shell takes to draw its prompt after a command, and another to report that one has ended. */
const INNER_PROMPT_MS = 1000;
const PAUSE_MS = 10;
/** Shell of most accounts, assumed where nothing names one. */
const USUAL_SHELL = "bash";

export interface InnerShellRequest {
  inspector: ProcessInspector;
  pane: PaneProcess;
  /** The command that runs in the pane. */
  outer: TrackedCommand;
  /** Time (`performance.now()`) until which a program in the pane may belong to the inner shell's prompt. */
  promptBy: number;
  named: string | undefined;
}

/**
 * Returns the shell that a running command has brought to its prompt; undefined if none is visible. Behind ssh or in
 * a container it is the shell that the caller or the command names. Behind any other program that takes keys the
 * caller has to name it: `./connect.sh` may have led to ssh, but `make up` to `docker compose up`. A command whose own
 * shell is in front is given time to end: a caller may know from the kernel or the screen that it has, before its mark
 * D is read.
 */
export async function findInnerShell(
  { inspector, pane, outer, promptBy, named }: InnerShellRequest,
): Promise<string | undefined> {
  const began = performance.now();
  const until = Math.max(promptBy, began + INNER_PROMPT_MS);
  for (;;) {
    const inspection = await inspector.inspect(pane);
    if (!outer.begun || !outer.running) return undefined;
    const site = readSite(inspection, inspector);
    const isBack = isInFront(outer, inspection);
    const isUnseen = inspection.shell === undefined;
    const takesCommands = (inspection.waitingForInput && isShell(inspection, named)) ||
      (named !== undefined && inspection.mayLead === true);
    if (!isBack && takesCommands && (isUnseen || site?.asks === false)) {
      return inspection.shell ?? named ?? shellNamedIn(outer.command);
    }
    if (isBack && (isUnseen || site?.asks === true)) return undefined;
    const limit = isBack ? began + INNER_PROMPT_MS : isUnseen ? promptBy : until;
    if (performance.now() > limit) return undefined;
    await delay(PAUSE_MS);
  }
}

/**
 * True if the command's own shell is in front, or nothing is known of it. The probe also names the pane's process if
 * the foreground group has just ended, as between a program of the inner prompt and the shell that started it.
 */
function isInFront(
  { shellPid }: TrackedCommand,
  { foregroundPid, foregroundGroup }: PaneInspection,
): boolean {
  return shellPid === undefined || (foregroundPid === shellPid && foregroundGroup === shellPid);
}

/** True if a shell is in front, or a program that leads to one, by its name or the caller's, and asks nothing itself. */
export function isShell(inspection: PaneInspection, named: string | undefined): boolean {
  const { shell, foregroundCmd, inputKind } = inspection;
  // `kubectl edit` runs an editor on this machine.
  const leads = named !== undefined ||
    (leadsToShell(foregroundCmd) && leadsToShell(readerOf(inspection).name));
  return shell !== undefined || (leads && inputKind === "raw");
}

/** Returns the shell that a command names, as in `docker exec -it box sh` or `ssh host -t fish`. */
function shellNamedIn(command: string): string {
  const words = command.split(/[\s;'"]+/).map((word) => word.slice(word.lastIndexOf("/") + 1));
  return words.findLast((word) => findDialect(word) !== undefined) ?? USUAL_SHELL;
}
