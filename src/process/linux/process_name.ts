// Name of a process.
import { plainName } from "../plain_name.ts";

/** Name that node 24 gives its first thread, and so itself. */
export const NODE_THREAD = "MainThread";

/** Longest name (bytes) that the kernel keeps. */
const LONGEST = 15;
/** Words of a command line that may name its program: an interpreter, an option of it, and a script. */
const NAMING_WORDS = 3;

const ENCODER = new TextEncoder();

/** True if the kernel's name of a process may be only the start of its name, or that of a thread. */
export function isPartial(comm: string): boolean {
  return comm === NODE_THREAD || ENCODER.encode(comm).length >= LONGEST;
}

/**
 * Returns the kernel's name of a process, in full if the kernel cut it at 15 bytes, and without what the program
 * added (`node-MainThread`, `tmux: client`).
 */
export function commandName(comm: string, argv: readonly string[]): string {
  const names = argv.slice(0, NAMING_WORDS).map((word) =>
    word.slice(word.lastIndexOf("/") + 1).replace(/^-/, "")
  );
  // The kernel may have cut it within a character.
  const start = comm.replace(/\ufffd$/, "");
  const isNamed = (name: string) => isPartial(comm) ? name.startsWith(start) : name === comm;
  const [firstName = ""] = names;
  // The name of a script may begin with that of its interpreter (`show.sh` with `sh`).
  const whole = comm === NODE_THREAD ? undefined : names.find(isNamed);
  const added = firstName !== "" && (comm === NODE_THREAD || comm.startsWith(firstName));
  return plainName(whole ?? (added ? firstName : comm));
}
