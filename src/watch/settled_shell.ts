// Inspects a pane whose shell may stand between two commands.
import type { PaneInspection } from "../process/probe.ts";
import { delay } from "../timer.ts";

/** Time until a shell reads again after a command: fish took up to 54 ms, on two cores at a load of 6. */
const LOOKS = 10;
const PAUSE_MS = 10;

/** Inspects a pane: a shell once it waits, or after 100 ms; any other program at once. */
export async function inspectSettledShell(
  inspect: () => Promise<PaneInspection> | PaneInspection,
): Promise<PaneInspection> {
  let seen = await inspect();
  for (let looks = 0; looks < LOOKS && isBetween(seen); looks++) {
    await delay(PAUSE_MS);
    seen = await inspect();
  }
  return seen;
}

function isBetween({ isAlive, shell, waitingForInput }: PaneInspection): boolean {
  return isAlive && shell !== undefined && !waitingForInput;
}
