// Ancestry of this process: all processes above it, and its controlling terminal.
import type { Libc } from "../ffi/libc.ts";
import { findPtsPath } from "./linux/device_numbers.ts";
import { ProcFs } from "./linux/procfs.ts";
import { findInode } from "./linux/socket_table.ts";

export interface Ancestry {
  /** Pids of all processes above this one. */
  ancestorPids: ReadonlySet<number>;
  /** The controlling terminal, such as `/dev/pts/4`; absent if there is none or it is unknown. */
  tty?: string;
}

/** A tmux server that this process runs in. */
export interface ServerAbove {
  pid: number;
  socketPath: string;
}

/** Finds the nearest tmux server among the ancestors, for clients that don't pass on `TMUX`. */
export function findServerAbove(libc: Libc): ServerAbove | undefined {
  if (libc.platform.os !== "linux") return undefined;
  const proc = new ProcFs(libc);
  for (const pid of readAncestry(libc).ancestorPids) {
    // A server calls itself "tmux: server" where the system allows that.
    if (!proc.stat(pid)?.comm.startsWith("tmux")) continue;
    const socketPath = findListeningPath(proc, pid);
    if (socketPath !== undefined) return { pid, socketPath };
  }
  return undefined;
}

/** Returns the ancestry of this process; on an unknown kernel it has only the parent. */
export function readAncestry(libc: Libc): Ancestry {
  if (libc.platform.os !== "linux") return { ancestorPids: new Set([Deno.ppid]) };
  const proc = new ProcFs(libc);
  const tty = findPtsPath(proc.stat(Deno.pid)?.terminal ?? 0);
  const ancestorPids = new Set<number>();
  for (let pid = Deno.ppid; pid > 0 && !ancestorPids.has(pid); pid = proc.stat(pid)?.parent ?? 0) {
    ancestorPids.add(pid);
  }
  return { ancestorPids, ...(tty === undefined ? {} : { tty }) };
}

/** Rows with `__SO_ACCEPTCON` among the flags: the inode, and a path that is not abstract. */
const LISTENING = /^\S+ \S+ \S+ 00010000 \S+ \S+ +(\d+) (\/.*)$/gm;

/** Path of the unix socket that a process listens on; undefined for none, and for another user's process. */
function findListeningPath(proc: ProcFs, pid: number): string | undefined {
  const sockets = new Set(
    proc.descriptors(pid).flatMap((fd) => findInode(proc.descriptorLink(pid, fd)) ?? []),
  );
  if (sockets.size === 0) return undefined;
  const rows = (proc.text(`${pid}/net/unix`) ?? "").matchAll(LISTENING);
  return rows.find(([, inode]) => sockets.has(inode!))?.[2];
}
