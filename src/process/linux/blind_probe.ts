// Linux without what the probe asks its kernel, as in gVisor: it knows processes, but not what they sleep for.

import { goneInspection, type PaneInspection, type PaneProbe, type PaneProcess } from "../probe.ts";
import { LinuxProbe } from "./probe.ts";
import type { ProcFs } from "./procfs.ts";

export class BlindProbe extends LinuxProbe {
  override inspect({ panePid }: PaneProcess): PaneInspection {
    const gone = goneInspection(panePid);
    if (this.startTime(panePid) === undefined) return gone;
    return { ...gone, isAlive: true, evidence: "unsupported" };
  }

  override openPaneProbe(pane: PaneProcess): PaneProbe {
    return { inspect: () => this.inspect(pane), close() {} };
  }
}

/** True if this process can't read what it is doing itself, to which it always has the right. */
export function isBlind(proc: ProcFs): boolean {
  return ["syscall", "wchan"].every((name) => proc.text(`self/${name}`) === undefined);
}
