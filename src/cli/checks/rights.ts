// Checks this user's rights to inspect the processes in panes.
import type { Libc } from "../../ffi/libc.ts";
import { ProcFs } from "../../process/linux/procfs.ts";
import type { Finding } from "./finding.ts";

export interface Rights {
  /** True if this user may trace any process: root, or CAP_SYS_PTRACE. */
  tracesAll: boolean;
  /** Yama's `ptrace_scope`; 0 without Yama. */
  scope: number;
  /** `hidepid` option that `/proc` is mounted with. */
  hidden: string;
}

const CAP_SYS_PTRACE = 19n;
const OPEN_MOUNTS = ["", "0", "off"];

export function checkRights(libc: Libc): Finding {
  return libc.platform.os === "darwin"
    ? { name: "processes", verdict: "works", says: "inspected through sysctl and proc_pidinfo" }
    : judgeRights(readRights(new ProcFs(libc)));
}

/** Judges how much these rights reveal about a pane's program. */
export function judgeRights({ tracesAll, scope, hidden }: Rights): Finding {
  const name = "processes";
  if (tracesAll) return { name, verdict: "works", says: "every process can be inspected" };
  if (scope > 0) {
    const says =
      `kernel.yama.ptrace_scope is ${scope}: waiting for input is detected by less certain evidence`;
    const fix = "sudo sysctl kernel.yama.ptrace_scope=0 (lets each of your programs trace the others)";
    return { name, verdict: "partly", says, fix };
  }
  if (!OPEN_MOUNTS.includes(hidden)) {
    const mounted = `/proc is mounted with hidepid=${hidden}`;
    const says = `${mounted}: for programs of other users (sudo, su), only the terminal can be inspected`;
    return { name, verdict: "partly", says, fix: "sudo mount -o remount,hidepid=0 /proc" };
  }
  const says = "your own can be inspected; for other users' (sudo, su), only the terminal";
  return { name, verdict: "works", says };
}

function readRights(proc: ProcFs): Rights {
  const capabilities = /^CapEff:\s*([0-9a-f]+)/m.exec(proc.text("self/status") ?? "")?.[1] ?? "0";
  const mount = proc.text("self/mounts")?.split("\n").find((line) => line.split(" ")[1] === "/proc");
  return {
    tracesAll: (BigInt(`0x${capabilities}`) >> CAP_SYS_PTRACE & 1n) === 1n,
    scope: Number(proc.text("sys/kernel/yama/ptrace_scope") ?? 0),
    hidden: /[ ,]hidepid=(\w+)/.exec(mount ?? "")?.[1] ?? "",
  };
}
