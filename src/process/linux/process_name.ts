// Name of a process.

/**
 * The kernel's name for it, in full where the kernel cut it at 15 bytes, and without what the program added
 * (`node-MainThread`, `tmux: client`).
 */
export function commandName(comm: string, argv: readonly string[]): string {
  const names = argv.slice(0, 2).map((word) => word.slice(word.lastIndexOf("/") + 1).replace(/^-/, ""));
  const [called = ""] = names;
  if (called !== "" && comm.startsWith(called)) return called;
  return (comm.length < 15 ? undefined : names.find((name) => name.startsWith(comm))) ?? comm;
}
