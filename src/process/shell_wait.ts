// Decides whether a waiting shell is at its prompt or asks a question (`read`, `select`), by its terminal and its read.

import { UNSEEN } from "./classify.ts";
import type { ReadSleep } from "./probe.ts";

/** Shells whose reads are known; any other shell that waits counts as being at its prompt. */
const KNOWN_SHELLS = /^(bash|zsh|fish|sh|dash|ash|ksh|mksh|yash)$/;
/** Shells without a line editor, or whose sleep can't be observed. */
const PLAIN_SHELLS = /^(dash|sh)$/;
/** Sizes of read(2) in bash's `read` and `select` (5.0, 5.2); at a prompt without line editor 1,024, in dash 8,192. */
const BASH_READS = [4096, 128];

/** A shell in front, and who waits for its terminal. */
interface ShellWait {
  shell: string;
  shellPid: number;
  /** Absent if nobody can be named. */
  reader: number | undefined;
  /** True if the terminal is set the way line editors set it; undefined if its mode can't be read. */
  edited: boolean | undefined;
  evidence: string;
  /** Returns the read that the shell sleeps in; undefined if the kernel hides it. */
  sleep(): ReadSleep | "awake" | undefined;
  /** True if the shell holds back the signals of its children, as zsh does while it runs a command of its own. */
  blocksChildren(): boolean;
}

/** True if the shell itself waits, for a command; a `read` that uses the line editor (fish's) looks the same. */
export function waitsAtPrompt(wait: ShellWait): boolean {
  const { shell, shellPid, reader, edited, evidence } = wait;
  const isOther = reader !== undefined && reader !== shellPid && !evidence.includes(UNSEEN);
  if (isOther) return false;
  if (edited !== false || !KNOWN_SHELLS.test(shell)) return true;
  const sleep = wait.sleep();
  return sleep !== "awake" && !asksUnedited(shell, sleep, () => wait.blocksChildren());
}

/** True if a shell that waits without its line editor asks a question. */
function asksUnedited(shell: string, sleep: ReadSleep | undefined, blocksChildren: () => boolean): boolean {
  if (sleep === undefined) return !PLAIN_SHELLS.test(shell);
  if (shell === "zsh") return !isPlainZsh(sleep) || blocksChildren();
  const { wantedBytes = 1 } = sleep;
  return wantedBytes === 1 || (shell === "bash" ? BASH_READS.includes(wantedBytes) : shell === "mksh");
}

/**
 * True if zsh may be at a prompt without its line editor (`unsetopt zle`): it reads a byte at a time, as `read` does,
 * but not into its stack. Its line editor reads another descriptor, perhaps before the terminal is set up.
 */
function isPlainZsh({ wantedBytes, fd, isOnStack }: ReadSleep): boolean {
  return wantedBytes === 1 && fd === 0 && isOnStack === false;
}
