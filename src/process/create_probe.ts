// Chooses the probe for the system that this program runs on.

import { DarwinProbe } from "./darwin/probe.ts";
import type { Libc } from "../ffi/libc.ts";
import { LinuxProbe } from "./linux/probe.ts";
import {
  exists,
  type ExitWatch,
  goneInspection,
  groupExists,
  type PaneInspection,
  type PaneProcess,
  type Probe,
} from "./probe.ts";

/** Returns the probe for the system that libc was opened on. It is cheap to create; keep one per thread. */
export function createProbe(libc: Libc): Probe {
  switch (libc.platform.os) {
    case "linux":
      return new LinuxProbe(libc);
    case "darwin":
      return new DarwinProbe(libc);
    default:
      return new BlindProbe(libc);
  }
}

/** Probe for systems whose kernel we don't know how to ask. */
class BlindProbe implements Probe {
  readonly #libc: Libc;

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  inspect({ panePid }: PaneProcess): PaneInspection {
    return { ...goneInspection(panePid), isAlive: exists(this.#libc, panePid), evidence: "unsupported" };
  }

  foregroundGroup(): undefined {
    return undefined;
  }

  groupAlive(group: number): boolean {
    return groupExists(this.#libc, group);
  }

  startTime(): undefined {
    return undefined;
  }

  watchExit(pid: number): ExitWatch {
    return { poll: () => exists(this.#libc, pid) ? undefined : {}, close() {} };
  }
}
