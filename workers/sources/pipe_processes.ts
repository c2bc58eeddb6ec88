// Processes of panes' pipes, as the kernel shows them now.
import type { Libc } from "../../src/ffi/libc.ts";
import type { ProcessStat } from "../../src/process/linux/proc.ts";
import { ProcFs } from "../../src/process/linux/procfs.ts";

export class PipeProcesses {
  readonly #isVisible: boolean;
  readonly #proc: ProcFs;

  constructor(libc: Libc) {
    this.#isVisible = libc.platform.os === "linux";
    this.#proc = new ProcFs(libc);
  }

  /** True if the process sleeps or is gone; undefined where that can't be known. */
  isAsleep(pid: number): boolean | undefined {
    const found = this.#isVisible ? this.#find(pid) : undefined;
    return found && (found.stat === undefined || "SZ".includes(found.stat.state));
  }

  /**
   * True if the first process is a child of the second, or where the system never shows that; undefined while no
   * descriptor is left to read it with.
   */
  isChild(pid: number, parent: number): boolean | undefined {
    if (!this.#isVisible) return true;
    const found = this.#find(pid);
    return found && found.stat?.parent === parent;
  }

  /** Reads about a process; undefined if no descriptor is left, which must not end a timer and with it the worker. */
  #find(pid: number): { stat: ProcessStat | undefined } | undefined {
    try {
      return { stat: this.#proc.stat(pid) };
    } catch {
      return undefined;
    }
  }
}
