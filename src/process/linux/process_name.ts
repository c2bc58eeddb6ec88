// Name of a process.

/**
 * Returns the kernel's name of a process, in full if the kernel cut it at 15 bytes, and without what the program
 * added (`node-MainThread`, `tmux: client`).
 */
export function commandName(comm: string, argv: readonly string[]): string {
  const names = argv.slice(0, 2).map((word) => word.slice(word.lastIndexOf("/") + 1).replace(/^-/, ""));
  const [firstName = ""] = names;
  if (firstName !== "" && comm.startsWith(firstName)) return firstName;
  return (comm.length < 15 ? undefined : names.find((name) => name.startsWith(comm))) ?? comm;
}
