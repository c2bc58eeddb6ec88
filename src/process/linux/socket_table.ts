// Linux: reads the kernel's tables of sockets: `/proc/PID/net/tcp`, `tcp6` and `unix`.

import type { ListeningSocket } from "../listening.ts";

/** Rows in state LISTEN: local address and port, then the inode. */
const LISTENING = /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) \S+ 0A \S+ \S+ \S+ +\d+ +\d+ (\d+)/gm;
/** Rows with `__SO_ACCEPTCON` among the flags. */
const UNIX_LISTENING = /^\S+ \S+ \S+ 00010000 \S+ \S+ +(\d+)/gm;
const UNIX = /^\S+: \S+ \S+ \S+ \S+ \S+ +(\d+)/gm;
const BYTE = /../g;
const GROUPS = 8;
/** Prefix of a mapped address: `::ffff:127.0.0.1` accepts connections to 127.0.0.1. */
const MAPPED = [0, 0, 0, 0, 0, 0xffff];

/** Returns the inode of the socket that a descriptor's link names; undefined if it names another file. */
export function findInode(link: string | undefined): string | undefined {
  return /^socket:\[(\d+)\]$/.exec(link ?? "")?.[1];
}

/** Sockets in state LISTEN, which the kernel lists first. */
export function parseListening(table: string, namespace?: string): ListeningSocket[] {
  return [...table.matchAll(LISTENING)].map(([, address = "", port = "", inode = ""]) => ({
    inode,
    port: Number.parseInt(port, 16),
    address: parseAddress(address),
    ...(namespace !== undefined && { namespace }),
  }));
}

/** Inodes of the sockets that accept connections, including local ones. */
export function listeningInodes(table: (name: string) => string | undefined): Set<string> {
  const tcp = ["tcp", "tcp6"].flatMap((name) => parseListening(table(name) ?? ""));
  const local = [...(table("unix") ?? "").matchAll(UNIX_LISTENING)].map(([, inode = ""]) => inode);
  return new Set([...tcp.map(({ inode }) => inode), ...local]);
}

/** Inodes of the sockets in a table `unix`. */
export function localInodes(table: string): Set<string> {
  return new Set([...table.matchAll(UNIX)].map(([, inode = ""]) => inode));
}

/** Parses an address. Each 32-bit word is printed as it is in memory: little-endian wherever this program runs. */
function parseAddress(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) =>
    (word.match(BYTE) ?? []).reverse().map((byte) => Number.parseInt(byte, 16))
  );
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: GROUPS }, (_, at) => bytes[at * 2]! << 8 | bytes[at * 2 + 1]!);
  const isMapped = MAPPED.every((group, at) => groups[at] === group);
  if (isMapped) return bytes.slice(12).join(".");
  // A URL spells its host as RFC 5952 does: the longest run of two zeros or more becomes `::`, the first of several.
  const { hostname } = new URL(`http://[${groups.map((group) => group.toString(16)).join(":")}]`);
  return hostname.slice(1, -1);
}
