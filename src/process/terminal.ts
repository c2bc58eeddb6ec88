// A terminal device: its mode and unread input, as the kernel reports them, and writing to it.

import type { Libc } from "../ffi/libc.ts";

/** Settings of a terminal at one moment. */
export interface TerminalMode {
  /** True if input arrives in lines (ICANON). */
  readonly canonical: boolean;
  readonly echo: boolean;
  /** True if set as line editors do: no echo, and Return or Ctrl-C reaches the program unchanged. */
  readonly edited: boolean;
  /** True if in line mode every printable character reaches the program unchanged; absent if that can't be read. */
  readonly takesLines?: boolean;
  /** Number of bytes that were typed and not read yet; in canonical mode only whole lines count. */
  readonly pending: number;
  /** True if it takes no output: it is stopped, or a program waits to write; absent if it does, or can't be asked. */
  readonly isFull?: boolean;
}

/** True if a program has changed the terminal from plain lines with echo. */
export function isTaken(mode: TerminalMode | undefined): mode is TerminalMode {
  return mode !== undefined && !(mode.canonical && mode.echo);
}

interface Layout {
  /** Offsets of the words for input flags and local flags. */
  readonly inputFlags: number;
  readonly localFlags: number;
  readonly canonical: number;
  readonly signals: number;
  readonly pendingInput: bigint;
  /** Range of the special characters; only where line mode has room for our text: macOS takes at most 1,024 bytes. */
  readonly specialChars?: readonly [from: number, to: number];
}

/** Number of special characters on Linux. */
const SPECIAL_CHARS = 17;

const LINUX: Layout = {
  inputFlags: 0,
  localFlags: 12,
  canonical: 0x2,
  signals: 0x1,
  pendingInput: 0x541bn,
  specialChars: [17, 17 + SPECIAL_CHARS],
};
const DARWIN: Layout = {
  inputFlags: 0,
  localFlags: 24,
  canonical: 0x100,
  signals: 0x80,
  pendingInput: 0x4004667fn,
};
/** Flags that are the same on all systems. */
const ECHO = 0x8;
const RETURN_IS_NEWLINE = 0x100;
const NEWLINE_IS_RETURN = 0x40;

/** Reads a terminal's mode; undefined if the terminal is gone or not ours to open. */
export function readTerminalMode(libc: Libc, path: string): TerminalMode | undefined {
  const fd = libc.open(path);
  if (fd < 0) return undefined;
  try {
    const layout = libc.platform.os === "darwin" ? DARWIN : LINUX;
    const { specialChars } = layout;
    const termios = new Uint8Array(128);
    if (libc.attributes(fd, termios) !== 0) return undefined;
    const words = new DataView(termios.buffer);
    const count = new Uint8Array(4);
    const known = libc.ioctl(fd, layout.pendingInput, count) === 0;
    return {
      ...modeOf(
        { input: words.getUint32(layout.inputFlags, true), local: words.getUint32(layout.localFlags, true) },
        layout,
      ),
      ...specialChars && { takesLines: isControl(termios.subarray(...specialChars)) },
      pending: known ? new DataView(count.buffer).getInt32(0, true) : 0,
      ...libc.isWritable(fd) === false && { isFull: true },
    };
  } finally {
    libc.close(fd);
  }
}

/** Parses `stty -g` of Linux: hexadecimal words; input flags first, local flags fourth, then the special characters. */
export function parseStty(text: string): TerminalMode | undefined {
  const words = text.split(":").map((word) => Number.parseInt(word, 16));
  const [input = NaN, , , local = NaN] = words;
  if (Number.isNaN(input + local)) return undefined;
  const specialChars = words.slice(4, 4 + SPECIAL_CHARS);
  const takesLines = specialChars.length === SPECIAL_CHARS && isControl(specialChars);
  return { ...modeOf({ input, local }, LINUX), takesLines, pending: 0 };
}

/** True if all are control characters. A person may erase with `#` and kill a line with `@`, as on old terminals. */
function isControl(chars: { every(is: (char: number) => boolean): boolean }): boolean {
  return chars.every((char) => char < 0x20 || char === 0x7f);
}

/**
 * Returns the mode from the flags. A shell's `read -n1` turns off line mode only. Every line editor that was tried
 * (readline, zle, fish, ksh93, mksh, yash) also takes Return unchanged; busybox's takes Ctrl-C.
 */
function modeOf(
  { input, local }: { input: number; local: number },
  { canonical, signals }: Pick<Layout, "canonical" | "signals">,
): Omit<TerminalMode, "pending"> {
  const isCanonical = (local & canonical) !== 0;
  const echo = (local & ECHO) !== 0;
  const translates = (input & RETURN_IS_NEWLINE) !== 0 && (input & NEWLINE_IS_RETURN) === 0;
  const edited = !isCanonical && !echo && !(translates && (local & signals) !== 0);
  return { canonical: isCanonical, echo, edited };
}

/**
 * Writes to a terminal as a program in it would, without ever waiting for it.
 * @returns number of bytes written: fewer than given if the terminal is stopped or full, undefined if it can't be
 * opened
 */
export function writeTerminal(libc: Libc, path: string, bytes: Uint8Array): number | undefined {
  const fd = libc.open(path, "write");
  if (fd < 0) return undefined;
  try {
    let written = 0;
    while (written < bytes.length) {
      const count = libc.write(fd, bytes.subarray(written));
      if (count <= 0) break;
      written += count;
    }
    return written;
  } finally {
    libc.close(fd);
  }
}
