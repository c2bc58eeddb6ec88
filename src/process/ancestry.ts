// Where this process itself stands: every process above it, and its controlling terminal.
import type { Libc } from "./libc.ts";
import { findPtsPath, ProcFs } from "./linux/procfs.ts";

export interface Ancestry {
  /** Every process above this one. */
  ancestorPids: ReadonlySet<number>;
  /** The controlling terminal, such as `/dev/pts/4`; absent without one, or where it can't be told. */
  tty?: string;
}

/** Reads the ancestry of this process; where the kernel can't be asked, only the parent is known. */
export function readAncestry(libc: Libc): Ancestry {
  if (libc.platform.os !== "linux") return { ancestorPids: new Set([Deno.ppid]) };
  const proc = new ProcFs(libc);
  const tty = findPtsPath(proc.stat(Deno.pid)?.terminal ?? 0);
  const ancestorPids = new Set<number>();
  for (let pid = Deno.ppid; pid > 1 && !ancestorPids.has(pid); pid = proc.stat(pid)?.parent ?? 0) {
    ancestorPids.add(pid);
  }
  return { ancestorPids, ...(tty === undefined ? {} : { tty }) };
}
