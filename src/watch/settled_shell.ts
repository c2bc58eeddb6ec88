// Inspects a pane whose shell may be between two commands, or whose program has not begun yet.
import type { ProcessInspector } from "../process/process_inspector.ts";
import type { PaneInspection } from "../process/probe.ts";
import { pidOfKey } from "../tmux/server_key.ts";
import { type PromptSites, readSite } from "./prompt_sites.ts";
import { delay } from "../timer.ts";

/** Maximum inspections until a shell reads again after a command: fish took up to 54 ms, on two cores at a load of 6. */
const SETTLE_TRIES = 10;
const PAUSE_MS = 10;
/** Inspections until a new pane has its program: its process is a copy of tmux, under load for many milliseconds. */
const BEGIN_TRIES = 100;

/** Waits until a new pane's process is its program and no longer a copy of the tmux server, at most for a second. */
export async function untilBegun(
  inspector: ProcessInspector,
  { panePid, serverKey }: { panePid: number; serverKey: string },
): Promise<void> {
  const serverPid = pidOfKey(serverKey);
  for (let tries = 0; tries < BEGIN_TRIES && await isSameImage(inspector, [panePid, serverPid]); tries++) {
    await delay(PAUSE_MS);
  }
}

async function isSameImage(inspector: ProcessInspector, [one, other]: [number, number]): Promise<boolean> {
  const image = await inspector.image(one);
  return image !== undefined && image === await inspector.image(other);
}

/** True if a pane's own shell waits for a command, and not for an answer to its `read`. */
export function isIdleShell(
  inspection: PaneInspection,
  inspector: ProcessInspector,
  prompts: PromptSites,
): boolean {
  const { shell, foregroundPid, panePid, waitingForInput } = inspection;
  if (shell === undefined || foregroundPid !== panePid || !waitingForInput) return false;
  const site = readSite(inspection, inspector);
  return site === undefined || !site.asks && prompts.mayBe(site);
}

/** Inspects a pane: a shell once it waits, at the latest after 100 ms; any other program at once. */
export async function inspectSettledShell(
  inspect: () => Promise<PaneInspection> | PaneInspection,
): Promise<PaneInspection> {
  let inspection = await inspect();
  for (let tries = 0; tries < SETTLE_TRIES && isBetween(inspection); tries++) {
    await delay(PAUSE_MS);
    inspection = await inspect();
  }
  return inspection;
}

/**
 * True if the shell is between two commands. A shell that reads without echo may be about to read a command of ours,
 * which takes 1 ms.
 */
function isBetween({ isAlive, shell, waitingForInput, inputKind }: PaneInspection): boolean {
  return isAlive && shell !== undefined && (!waitingForInput || inputKind === "password");
}
