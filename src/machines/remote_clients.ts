// Control clients that a cut connection has left behind on another machine.
import type { SshConnection } from "../tmux/ssh/link.ts";

/** A control client, as that machine shows it. */
export interface RemoteClient {
  readonly pid: number;
  /** Stamp of its owner, from its environment. */
  readonly stamp: string;
  /** True if the process that served its connection ended before it. */
  readonly orphaned: boolean;
}

/** Distinguishes control clients of this program from others. */
export interface ClientStamps {
  /** Name of the variable that holds the stamp. */
  readonly variable: string;
  /** True if a client provably belongs to a process of this machine, and nothing reads it any more. */
  isLost(client: RemoteClient): boolean;
}

/**
 * Ends lost clients. A control client that is cut off while tmux has something to send to it stays attached
 * permanently, and keeps `kill-server` from finishing (tmux up to 3.7). Only Linux shows the environment of a process
 * to a shell.
 */
export async function endLostClients(
  { ask }: Pick<SshConnection, "ask">,
  { variable, isLost }: ClientStamps,
): Promise<void> {
  const lost = parseClients(await ask(listCode(variable))).filter(isLost);
  if (lost.length > 0) await ask(`kill -TERM ${lost.map(({ pid }) => pid).join(" ")}`);
}

/** Returns code that prints lines of a pid, its parent and a stamp; a single grep reads all processes. */
function listCode(variable: string): string {
  return [
    `for e in $(grep -ls '${variable}=' /proc/[0-9]*/environ); do p=\${e#/proc/}; p=\${p%/environ}`,
    `case $(tr '\\000' ' ' </proc/$p/cmdline) in *' -C attach-session '*) ;; *) continue ;; esac`,
    `read -r s </proc/$p/stat || continue; set -- \${s##*) }`,
    `printf '%s %s ' "$p" "$2"; tr '\\000' '\\n' <$e | sed -n 's/^${variable}=//p'; done`,
  ].join("\n");
}

function parseClients(text: string): RemoteClient[] {
  return [...text.matchAll(/^(\d+) (\d+) (.*)$/gm)].map(([, pid, parent, stamp]) => ({
    pid: Number(pid),
    stamp: stamp!,
    orphaned: parent === "1",
  }));
}
