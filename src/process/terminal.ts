// A terminal device as the kernel tells it: its mode, its unread input, and writing to it.

import type { Libc } from "./libc.ts";

/** What a terminal is set to at one moment. */
export interface TerminalMode {
  /** Input comes in lines (ICANON). */
  readonly canonical: boolean;
  readonly echo: boolean;
  /** Bytes typed and not yet read; in canonical mode only whole lines count. */
  readonly pending: number;
}

interface Layout {
  readonly localFlags: number;
  readonly canonical: number;
  readonly echo: number;
  readonly pendingInput: bigint;
}

const LINUX: Layout = { localFlags: 12, canonical: 0x2, echo: 0x8, pendingInput: 0x541bn };
const DARWIN: Layout = { localFlags: 24, canonical: 0x100, echo: 0x8, pendingInput: 0x4004667fn };

/** Reads a terminal's mode; undefined when it is gone or not ours to open. */
export function readTerminalMode(libc: Libc, path: string): TerminalMode | undefined {
  const fd = libc.open(path);
  if (fd < 0) return undefined;
  try {
    const layout = libc.platform.os === "darwin" ? DARWIN : LINUX;
    const termios = new Uint8Array(128);
    if (libc.attributes(fd, termios) !== 0) return undefined;
    const flags = new DataView(termios.buffer).getUint32(layout.localFlags, true);
    const count = new Uint8Array(4);
    const known = libc.ioctl(fd, layout.pendingInput, count) === 0;
    return {
      canonical: (flags & layout.canonical) !== 0,
      echo: (flags & layout.echo) !== 0,
      pending: known ? new DataView(count.buffer).getInt32(0, true) : 0,
    };
  } finally {
    libc.close(fd);
  }
}

/**
 * Writes to a terminal as a program in it would, without ever waiting for it.
 * @returns bytes taken: fewer than given when the terminal is stopped or full, undefined when it can't be opened
 */
export function writeTerminal(libc: Libc, path: string, bytes: Uint8Array): number | undefined {
  const fd = libc.open(path, "write");
  if (fd < 0) return undefined;
  try {
    let written = 0;
    while (written < bytes.length) {
      const taken = libc.write(fd, bytes.subarray(written));
      if (taken <= 0) break;
      written += taken;
    }
    return written;
  } finally {
    libc.close(fd);
  }
}
