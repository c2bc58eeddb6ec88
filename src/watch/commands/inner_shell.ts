// A shell that a running command has begun (`bash`, `sudo -s`, `ssh host`): the next command is for it.
import type { PaneLook, PaneProcess } from "../../process/look.ts";
import type { Sight } from "../../process/sight.ts";
import { findDialect } from "../../shell/dialects.ts";
import { leadsToShell } from "../gateways.ts";
import { readSite } from "./prompt_sites.ts";
import type { CommandRecord } from "./record.ts";

/** A shell inside draws its prompt after a command for this long (ms). */
const PROMPT_MS = 1000;
const PAUSE_MS = 10;
/** Most accounts have it where nothing tells. */
const USUAL_SHELL = "bash";

export interface InnerShellRequest {
  sight: Sight;
  pane: PaneProcess;
  /** The command that runs in the pane. */
  outer: CommandRecord;
}

/**
 * What shell a running command has brought to its prompt; undefined where none is to be seen there. Behind ssh or in a
 * container it is the one the command names.
 */
export async function findInnerShell({ sight, pane, outer }: InnerShellRequest): Promise<string | undefined> {
  const until = performance.now() + PROMPT_MS;
  for (;;) {
    const look = await sight.look(pane);
    const isInside = outer.begun && outer.shellPid !== undefined && look.foregroundPid !== outer.shellPid;
    if (!isInside || !outer.running) return undefined;
    if (look.waitingForInput && isShell(look) && !readSite(look, sight).asks) {
      return look.shell ?? shellNamedIn(outer.command);
    }
    if (look.shell === undefined || performance.now() > until) return undefined;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** True if a shell is in front, or what leads to one and asks for nothing itself. */
export function isShell({ shell, foregroundCmd, inputKind }: PaneLook): boolean {
  return shell !== undefined || (leadsToShell(foregroundCmd) && inputKind === "raw");
}

/** `docker exec -it box sh`, `ssh host -t fish`. */
function shellNamedIn(command: string): string {
  const words = command.split(/[\s;'"]+/).map((word) => word.slice(word.lastIndexOf("/") + 1));
  return words.findLast((word) => findDialect(word) !== undefined) ?? USUAL_SHELL;
}
