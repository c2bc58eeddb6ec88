// Processes that can't be seen: the kernel does not show them, or they are in another pid namespace.
import { AppError } from "../errors.ts";
import { ProcFs } from "./linux/procfs.ts";
import type { Libc } from "../ffi/libc.ts";
import { goneInspection, type PaneInspection, type PaneProcess, type Probe } from "./probe.ts";
import type { ProcessInspector } from "./process_inspector.ts";

/** Evidence where processes can't be seen. */
const BLIND = "unsupported";
const ELSEWHERE = `${BLIND}: tmux runs in another pid namespace`;

/** True if the pane's processes can't be seen. */
export function isBlind({ evidence }: Pick<PaneInspection, "evidence">): boolean {
  return evidence === BLIND || evidence === ELSEWHERE;
}

/** Returns the state of a pane that can't be inspected: assumed alive, because tmux reports when it is dead. */
export function blindInspection({ panePid }: PaneProcess, evidence = BLIND): PaneInspection {
  return { ...goneInspection(panePid), isAlive: true, evidence };
}

/**
 * Stands for the processes of another pid namespace: a container's, or those outside of this program's own. Their pids,
 * which tmux reports, mean nothing here: they name no process, or one that is unrelated.
 */
export const UNSEEN: Probe & ProcessInspector = {
  inspect: (pane) => blindInspection(pane, ELSEWHERE),
  foregroundGroup: () => undefined,
  groupAlive: () => false,
  startTime: () => undefined,
  image: () => undefined,
  sleeps: () => undefined,
  ageMs: () => undefined,
  watchExit: () => ({ poll: () => undefined, close() {} }),
  ports() {
    throw new AppError("unsupported", "Cannot watch ports: tmux runs in another pid namespace", {
      hint: "Watch for the line that the program prints when it is ready: pattern:REGEX",
    });
  },
};

/**
 * True if a process that this one is connected to is in another pid namespace than `/proc` shows. `pid` is 0 if the
 * kernel has no pid for it here.
 */
export function isUnseen(libc: Libc, pid: number): boolean {
  if (libc.platform.os !== "linux") return false;
  const proc = new ProcFs(libc);
  // A sandbox with a pid namespace of its own may have the /proc of another, or none.
  if (pid === 0 || proc.link("self") !== String(Deno.pid)) return true;
  // The line lists the pids of a process, from that in the namespace of /proc to that in its own.
  return /^NSpid:(\s+\d+){2}/m.test(proc.text(`${pid}/status`) ?? "");
}
