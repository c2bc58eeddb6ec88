// Chooses the probe for the system that this program runs on.

import { DarwinProbe } from "./darwin/probe.ts";
import type { Libc } from "../ffi/libc.ts";
import { LinuxProbe } from "./linux/probe.ts";
import { ProcFs } from "./linux/procfs.ts";
import {
  goneInspection,
  type PaneInspection,
  type PaneProbe,
  type PaneProcess,
  type Probe,
} from "./probe.ts";
import type { ProcessInspector } from "./process_inspector.ts";
import { blindInspection } from "./unseen.ts";

/** Returns the probe for the system that libc was opened on. It is cheap to create; keep one per thread. */
export function createProbe(libc: Libc): Probe & ProcessInspector {
  if (libc.platform.os === "darwin") return new DarwinProbe(libc);
  const proc = new ProcFs(libc);
  return isBlind(proc) ? new BlindProbe(libc, proc) : new LinuxProbe(libc, proc);
}

/** True if this process can't read what it is doing itself, to which it always has the right. */
function isBlind(proc: ProcFs): boolean {
  return ["syscall", "wchan"].every((name) => proc.text(`self/${name}`) === undefined);
}

/** Linux without what the probe asks its kernel, as in gVisor: it knows processes, but not what they sleep for. */
class BlindProbe extends LinuxProbe {
  override inspect(pane: PaneProcess): PaneInspection {
    const isGone = this.startTime(pane.panePid) === undefined;
    return isGone ? goneInspection(pane.panePid) : blindInspection(pane);
  }

  override openPaneProbe(pane: PaneProcess): PaneProbe {
    return { inspect: () => this.inspect(pane), close() {} };
  }
}
