// Linux: notices the end of a process that is not our child, and how it ended if the kernel reports that.

import { isLive } from "./foreground.ts";
import type { Libc } from "../../ffi/libc.ts";
import type { ProcessStat } from "./proc.ts";
import type { ProcFs } from "./procfs.ts";
import type { Ending } from "../ending.ts";
import type { ExitWatch } from "../probe.ts";
import { parseWaitStatus } from "../signals.ts";

/** `_IOWR(0xFF, 11, struct pidfd_info)` of 64 bytes; it has the exit status since Linux 6.15. */
const PIDFD_GET_INFO = 0xc040ff0bn;
const PIDFD_INFO_EXIT = 8;
const EXIT_CODE_OFFSET = 60;
/** Time (ms) after which a dead process that its parent has not collected is assumed to show nothing more. */
const ZOMBIE_PATIENCE_MS = 100;

/** Starts to watch a process; for one that is already gone, the first poll returns `{}`. */
export function watchExit(libc: Libc, proc: ProcFs, pid: number): ExitWatch {
  const opened = proc.calls ? libc.syscall(proc.calls.numberOf("pidfd_open"), [pid, null]) : -1;
  return opened >= 0 ? new PidfdWatch(libc, proc, { pid, fd: opened }) : new StatWatch(proc, pid);
}

class PidfdWatch implements ExitWatch {
  readonly #libc: Libc;
  readonly #proc: ProcFs;
  readonly #pid: number;
  readonly fd: number;
  #closed = false;
  #deadSince: number | undefined;
  #exit: Ending | undefined;

  constructor(libc: Libc, proc: ProcFs, { pid, fd }: { pid: number; fd: number }) {
    this.#libc = libc;
    this.#proc = proc;
    this.#pid = pid;
    this.fd = fd;
  }

  poll(): Ending | undefined {
    const isEnded = this.#exit === undefined && !this.#closed && this.#libc.isReadable(this.fd);
    if (isEnded) this.#exit = this.#collect();
    return this.#exit;
  }

  /**
   * Returns the ending. `stat` has the status until the parent has waited, the pidfd after that; read in this order,
   * it can't be missed.
   */
  #collect(): Ending | undefined {
    const stat = this.#proc.stat(this.#pid);
    return this.#ofPidfd() ?? this.#ofZombie(stat);
  }

  #ofPidfd(): Ending | undefined {
    const info = new Uint8Array(64);
    const view = new DataView(info.buffer);
    view.setUint32(0, PIDFD_INFO_EXIT, true);
    const succeeded = this.#libc.ioctl(this.fd, PIDFD_GET_INFO, info) === 0;
    if (succeeded && (view.getUint32(0, true) & PIDFD_INFO_EXIT) !== 0) {
      return parseWaitStatus(view.getInt32(EXIT_CODE_OFFSET, true), "linux");
    }
    return undefined;
  }

  /** Returns the ending of a dead process that is not collected: `stat` has it if this process may trace the other. */
  #ofZombie(stat: ProcessStat | undefined): Ending | undefined {
    if (stat === undefined || stat.state !== "Z") return {};
    if (stat.exitStatus !== 0 || stat.traceable) return parseWaitStatus(stat.exitStatus, "linux");
    this.#deadSince ??= performance.now();
    return performance.now() - this.#deadSince > ZOMBIE_PATIENCE_MS ? {} : undefined;
  }

  close(): void {
    if (!this.#closed) this.#libc.close(this.fd);
    this.#closed = true;
  }
}

/** Watch without a pidfd (before Linux 5.3): pid and start time show if the process lives, but never its exit code. */
class StatWatch implements ExitWatch {
  readonly #proc: ProcFs;
  readonly #pid: number;
  readonly #startTime: string | undefined;

  constructor(proc: ProcFs, pid: number) {
    this.#proc = proc;
    this.#pid = pid;
    this.#startTime = proc.stat(pid)?.startTime;
  }

  poll(): Ending | undefined {
    const stat = this.#proc.stat(this.#pid);
    return isLive(stat) && stat.startTime === this.#startTime ? undefined : {};
  }

  close(): void {}
}
