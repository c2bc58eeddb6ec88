// Linux: programs that pass the terminal on; the program behind them decides if they wait.

import { findPtsPath } from "./device_numbers.ts";
import type { Proc, ProcessStat } from "./proc.ts";
import type { ProcFs } from "./procfs.ts";
import type { SystemCall } from "./syscalls.ts";
import type { PaneProcess } from "../probe.ts";

/**
 * Programs that read the terminal only to pass what is typed to their own pty (sudo and su with a pty, recorders,
 * rlwrap, apt while dpkg runs), by name where their calls can't be seen.
 */
export const PTY_RELAYS: readonly string[] =
  "sudo su doas runuser script ttyrec asciinema rlwrap apt apt-get aptitude expect unbuffer".split(" ");
/** Programs that handle keys themselves, whatever runs in a terminal that they created. */
const OWN_KEYS = /^(vi|vim.*|emacs.*|mc|tmux.*|screen|dvtm|zsh)$/i;

/**
 * Clients whose server, elsewhere in the process table, reads the terminal for them: names of client and servers. One
 * that ends with `*` stands for all names that begin so.
 */
export const SERVED: readonly (readonly [client: string, servers: readonly string[]])[] = [
  ["tmux: client*", ["tmux: server*"]],
  ["screen", ["screen", "SCREEN"]],
  ["emacsclient*", ["emacs*"]],
  ["gpg*", ["pinentry*"]],
  // With a shared connection (ControlMaster), the client hands its descriptors to the connection's first client.
  // gpg-agent can be the agent of ssh, ssh-add and ssh-keygen.
  ["ssh*", ["ssh", "pinentry*"]],
];

const STANDARD_FDS = [0, 1, 2];
const RESCAN_MS = 1000;
/** Number of programs that pass the terminal on to inspect behind, as in `sudo script sudo …`. */
export const MAX_RELAYS = 4;

/** Returns the session that a relay runs on a pty of its own, as a pane to inspect; undefined for any other program. */
export function findInnerSession(proc: Proc, relay: ProcessStat, passedTo?: number): PaneProcess | undefined {
  if (passedTo === undefined && !PTY_RELAYS.includes(relay.comm)) return undefined;
  const children = proc.children(relay).map((pid) => proc.stat(pid)).filter((stat) => stat !== undefined);
  for (const { pid, terminal, session } of children) {
    const tty = terminal === relay.terminal || session !== pid ? undefined : findPtsPath(terminal);
    const isTarget = passedTo === undefined || tty === `/dev/pts/${passedTo}`;
    if (tty !== undefined && isTarget) return { panePid: pid, tty: reachable(proc, pid, { tty, terminal }) };
  }
  return undefined;
}

/** Path of a process's terminal: in a chroot with terminals of its own, the usual path leads to another one here. */
function reachable(proc: Proc, pid: number, { tty, terminal }: { tty: string; terminal: number }): string {
  const files = STANDARD_FDS.map((fd) => proc.descriptorIdentity(pid, fd));
  const at = files.findIndex((file) => file?.device === terminal);
  return at < 0 || files[at]!.inode === proc.identity(tty)?.inode
    ? tty
    : `/proc/${pid}/fd/${STANDARD_FDS[at]}`;
}

/**
 * Number of the pseudo-terminal to which a program copies the terminal: its `poll` or `select` waits for both, and
 * for no other. Programs with screens of their own wait for theirs with epoll, or are known by name.
 */
export function findPassedTo(
  comm: string,
  { shape }: SystemCall,
  masters: () => readonly (number | undefined)[],
): number | undefined {
  if ((shape !== "poll" && shape !== "select") || OWN_KEYS.test(comm)) return undefined;
  const [first, ...more] = masters().filter((number) => number !== undefined);
  return more.length === 0 ? first : undefined;
}

/** Finder of terminal servers by name; it reads the whole process table at most once a second. */
export class TerminalServers {
  readonly #proc: ProcFs;
  #found: readonly number[] = [];
  #scannedAt = -Infinity;

  constructor(proc: ProcFs) {
    this.#proc = proc;
  }

  /**
   * Processes that may read the terminal for one of these, which have another terminal or none; undefined if none of
   * these is a client of a terminal server.
   */
  of(group: readonly ProcessStat[]): ProcessStat[] | undefined {
    const servers = SERVED.find(([client]) => group.some(({ comm }) => isNamed(comm, client)))?.[1];
    if (servers === undefined) return undefined;
    if (performance.now() - this.#scannedAt > RESCAN_MS) this.#scan();
    return this.#found.map((pid) => this.#proc.stat(pid)).filter((stat) => stat !== undefined)
      .filter(({ comm, terminal }) =>
        terminal !== group[0]?.terminal && servers.some((name) => isNamed(comm, name))
      );
  }

  #scan(): void {
    this.#scannedAt = performance.now();
    const all = this.#proc.processes().map((pid) => this.#proc.stat(pid)).filter((stat) =>
      stat !== undefined
    );
    this.#found = all.filter(({ comm }) =>
      SERVED.some(([, servers]) => servers.some((name) => isNamed(comm, name)))
    ).map(({ pid }) => pid);
  }
}

function isNamed(comm: string, name: string): boolean {
  return name.endsWith("*") ? comm.startsWith(name.slice(0, -1)) : comm === name;
}
