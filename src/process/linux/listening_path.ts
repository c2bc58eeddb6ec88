// The path of the unix socket that a process listens on.
import type { Libc } from "../../ffi/libc.ts";
import { ProcFs } from "./procfs.ts";
import { findInode } from "./socket_table.ts";

/** Rows with `__SO_ACCEPTCON` among the flags: the inode, and a path that is not abstract. */
const LISTENING = /^\S+ \S+ \S+ 00010000 \S+ \S+ +(\d+) (\/.*)$/gm;

/** Returns the path; undefined if the process listens on no path, has ended, or belongs to another user. */
export function findListeningPath(libc: Libc, pid: number): string | undefined {
  const proc = new ProcFs(libc);
  const sockets = new Set(
    proc.descriptors(pid).flatMap((fd) => findInode(proc.descriptorLink(pid, fd)) ?? []),
  );
  if (sockets.size === 0) return undefined;
  const rows = (proc.text(`${pid}/net/unix`) ?? "").matchAll(LISTENING);
  return rows.find(([, inode]) => sockets.has(inode!))?.[2];
}
