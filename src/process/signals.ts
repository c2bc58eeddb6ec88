// Signals by number, and the meaning of a wait status.
import type { Ending } from "./ending.ts";

export const SIGALRM = 14;
export const SIGTERM = 15;
/** Signals on which this program cleans up and ends. Deno ends on a hangup even if a parent (`nohup`) ignored it. */
export const END_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

const SHARED = {
  1: "HUP",
  2: "INT",
  3: "QUIT",
  4: "ILL",
  5: "TRAP",
  6: "ABRT",
  8: "FPE",
  9: "KILL",
  11: "SEGV",
  13: "PIPE",
  [SIGALRM]: "ALRM",
  [SIGTERM]: "TERM",
  21: "TTIN",
  22: "TTOU",
  24: "XCPU",
  25: "XFSZ",
  26: "VTALRM",
  27: "PROF",
  28: "WINCH",
};

type Names = Readonly<Record<number, string>>;

const LINUX: Names = {
  ...SHARED,
  7: "BUS",
  10: "USR1",
  12: "USR2",
  16: "STKFLT",
  17: "CHLD",
  18: "CONT",
  19: "STOP",
  20: "TSTP",
  23: "URG",
  29: "IO",
  30: "PWR",
  31: "SYS",
};

const DARWIN: Names = {
  ...SHARED,
  7: "EMT",
  10: "BUS",
  12: "SYS",
  16: "URG",
  17: "STOP",
  18: "TSTP",
  19: "CONT",
  20: "CHLD",
  23: "IO",
  29: "INFO",
  30: "USR1",
  31: "USR2",
};

/** Returns a signal's name: `SIGTERM` for 15, `SIG35` for a number without a name (real-time signals). */
export function signalName(number: number, os: string = Deno.build.os): string {
  return `SIG${(os === "darwin" ? DARWIN : LINUX)[number] ?? number}`;
}

/** Returns the ending of a dead pane's program, as far as tmux knows its exit status and signal. */
export function deadEnding(status: number | undefined, signal: number | undefined): Ending {
  if (signal !== undefined) return { exitSignal: signalName(signal) };
  return status === undefined ? {} : { exitCode: status };
}

/** Returns the ending that a wait status encodes. */
export function parseWaitStatus(status: number, os: string): Ending {
  const signal = status & 0x7f;
  return signal === 0 ? { exitCode: (status >> 8) & 0xff } : { exitSignal: signalName(signal, os) };
}
