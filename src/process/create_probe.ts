// Chooses the probe for the system that this program runs on.

import { DarwinProbe } from "./darwin/probe.ts";
import type { Libc } from "../ffi/libc.ts";
import { LinuxProbe } from "./linux/probe.ts";
import type { Probe } from "./probe.ts";

/** Returns the probe for the system that libc was opened on. It is cheap to create; keep one per thread. */
export function createProbe(libc: Libc): Probe {
  return libc.platform.os === "darwin" ? new DarwinProbe(libc) : new LinuxProbe(libc);
}
