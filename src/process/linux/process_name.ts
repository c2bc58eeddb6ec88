// Name of a process.
import { plainName } from "../plain_name.ts";

/** Name that node 24 gives its first thread, and so itself. */
export const NODE_THREAD = "MainThread";

/**
 * Returns the kernel's name of a process, in full if the kernel cut it at 15 bytes, and without what the program
 * added (`node-MainThread`, `tmux: client`).
 */
export function commandName(comm: string, argv: readonly string[]): string {
  const names = argv.slice(0, 2).map((word) => word.slice(word.lastIndexOf("/") + 1).replace(/^-/, ""));
  const [firstName = ""] = names;
  if (firstName !== "" && (comm === NODE_THREAD || comm.startsWith(firstName))) return plainName(firstName);
  const whole = comm.length < 15 ? undefined : names.find((name) => name.startsWith(comm));
  return plainName(whole ?? comm);
}
