// Chooses the probe for the system that this program runs on.

import { DarwinProbe } from "./darwin/probe.ts";
import type { Libc } from "../ffi/libc.ts";
import { BlindProbe, isBlind } from "./linux/blind_probe.ts";
import { LinuxProbe } from "./linux/probe.ts";
import { ProcFs } from "./linux/procfs.ts";
import type { Probe } from "./probe.ts";

/** Returns the probe for the system that libc was opened on. It is cheap to create; keep one per thread. */
export function createProbe(libc: Libc): Probe {
  if (libc.platform.os === "darwin") return new DarwinProbe(libc);
  const proc = new ProcFs(libc);
  return isBlind(proc) ? new BlindProbe(libc, proc) : new LinuxProbe(libc, proc);
}
