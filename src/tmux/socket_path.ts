// Path at which a tmux client looks for its server's socket.

/**
 * The path tmux itself would use for these arguments, environment and user; undefined for arguments that name no one
 * socket. Symbolic links in TMUX_TMPDIR are left as they are.
 */
export function findSocketPath(
  socketArgs: readonly string[],
  env: Readonly<Record<string, string>>,
  uid: number,
): string | undefined {
  const [flag, value, ...rest] = socketArgs;
  if (rest.length > 0 || (flag !== undefined && !value)) return undefined;
  if (flag === "-S") return value;
  if (flag !== undefined && flag !== "-L") return undefined;
  const inherited = env["TMUX"]?.split(",")[0];
  if (flag === undefined && inherited) return inherited;
  return `${env["TMUX_TMPDIR"] || "/tmp"}/tmux-${uid}/${value ?? "default"}`;
}
