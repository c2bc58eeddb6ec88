// Check of this user's rights to inspect the processes in panes.
import type { Libc } from "../../ffi/libc.ts";
import { ProcFs } from "../../process/linux/procfs.ts";
import type { Finding } from "./finding.ts";

export interface Rights {
  /** May trace any process: root, or CAP_SYS_PTRACE. */
  tracesAll: boolean;
  /** Yama's `ptrace_scope`; 0 where there is no Yama. */
  scope: number;
  /** The `hidepid` of `/proc`, as mounted. */
  hidden: string;
}

const CAP_SYS_PTRACE = 19n;
const OPEN_MOUNTS = ["", "0", "off"];

export function checkRights(libc: Libc): Finding {
  if (libc.platform.os === "linux") return judgeRights(readRights(new ProcFs(libc)));
  if (libc.platform.os === "darwin") {
    return { name: "processes", verdict: "works", says: "asked by sysctl and proc_pidinfo" };
  }
  return {
    name: "processes",
    verdict: "partly",
    says: `not asked on ${libc.platform.os}: user_input never fires and pane-state says unsupported`,
  };
}

/** Judges how much these rights reveal about a pane's program. */
export function judgeRights({ tracesAll, scope, hidden }: Rights): Finding {
  const found = { name: "processes", verdict: "works" } as const;
  if (tracesAll) return { ...found, says: "every process can be looked at" };
  if (scope > 0) {
    return {
      name: found.name,
      verdict: "partly",
      says: `kernel.yama.ptrace_scope is ${scope}: what a program waits in is known by less certain evidence`,
      fix: "sudo sysctl kernel.yama.ptrace_scope=0 (lets each of your programs trace the others)",
    };
  }
  if (!OPEN_MOUNTS.includes(hidden)) {
    return {
      name: found.name,
      verdict: "partly",
      says:
        `/proc is mounted with hidepid=${hidden}: programs of other users (sudo, su) are seen by their terminal only`,
      fix: "sudo mount -o remount,hidepid=0 /proc",
    };
  }
  return { ...found, says: "your own can be looked at; those of others (sudo, su) by their terminal" };
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
