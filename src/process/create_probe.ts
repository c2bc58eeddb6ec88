// Chooses the probe of the system we run on.

import { DarwinProbe } from "./darwin/probe.ts";
import type { Libc } from "../ffi/libc.ts";
import { LinuxProbe } from "./linux/probe.ts";
import {
  exists,
  type ExitWatch,
  goneInspection,
  groupExists,
  type PaneInspection,
  type PaneProbe,
  type PaneProcess,
  type Probe,
} from "./probe.ts";

/** The probe of the system libc was opened on; cheap to make, keep one per thread. */
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

/** Systems whose kernel we don't know how to ask. */
class BlindProbe implements Probe {
  readonly #libc: Libc;

  constructor(libc: Libc) {
    this.#libc = libc;
  }

  inspect({ panePid }: PaneProcess): PaneInspection {
    return { ...goneInspection(panePid), isAlive: exists(this.#libc, panePid), evidence: "unsupported" };
  }

  openPaneProbe(pane: PaneProcess): PaneProbe {
    return { inspect: () => this.inspect(pane), close() {} };
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

  image(): undefined {
    return undefined;
  }

  sleeps(): undefined {
    return undefined;
  }

  watchExit(pid: number): ExitWatch {
    return { poll: () => exists(this.#libc, pid) ? undefined : {}, close() {} };
  }
}
