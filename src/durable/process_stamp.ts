// Stamps what this process leaves in tmux with its identity, and ends clients and pipes whose server process is dead.
import { isLive } from "../process/linux/foreground.ts";
import type { ProcessIdentity } from "../process/process_identity.ts";
import type { Libc } from "../ffi/libc.ts";
import { ProcFs } from "../process/linux/procfs.ts";
import { flag, int } from "../tmux/columns.ts";
import { copiedTo, copiesOn, type SpoolCopier } from "../tmux/spool_pipe.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { releaseDead } from "../watch/remain_on_exit.ts";
import { clearAbandoned } from "../handover/notice.ts";
import { SIGTERM } from "../process/signals.ts";
import { CLIENT_OF, PIPE_OF } from "../watch/protocol.ts";

const CLIENT = { pid: int("#{client_pid}"), control: flag("#{client_control_mode}") };
const SERVER = { pid: int("#{pid}") };

interface SweptPanes {
  /** Returns the ids of the panes to leave alone, because their final output still has to be read. */
  awaited(): Promise<ReadonlySet<string>>;
  /** Returns the ids of the panes in scope; undefined if all are. */
  visible(): Promise<ReadonlySet<string> | undefined>;
}

/**
 * A control client whose reader stalled and died stays attached permanently and keeps `kill-server` from finishing (tmux
 * up to 3.7); only a signal ends it. The stamp in its environment proves whose client it was. Only Linux shows the
 * environment of other processes this way, so nothing is stamped or ended on other systems.
 */
export class ProcessStamp {
  /** Environment variables of control clients: the stamp. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #libc: Libc;
  readonly #proc: ProcFs;
  /** Pid namespace and boot: a pid means nothing in another container or on another machine. */
  readonly #namespace: string | undefined;
  /** Distinguishes two servers in one process. */
  readonly #server: string = crypto.randomUUID();

  constructor(libc: Libc, pid: number) {
    this.#libc = libc;
    this.#proc = new ProcFs(libc);
    const world = this.#proc.world();
    this.#namespace = world && `${world.namespace}@${world.boot}`;
    const startTime = this.#proc.stat(pid)?.startTime;
    const isVisible = startTime !== undefined && this.#namespace !== undefined;
    this.environment = isVisible
      ? { [CLIENT_OF]: `${pid} ${startTime} ${this.#namespace} ${this.#server}` }
      : {};
  }

  /** Ends leases and handovers on a tmux server's panes that provably belong to a dead process of this machine. */
  async sweepPanes(tmux: Tmux, panes: SweptPanes): Promise<void> {
    const isDead = (stamp: string): boolean => this.isDead(stamp);
    await releaseDead(tmux, { isDead, ...panes });
    const isElsewhere = (stamp: string): boolean => this.identity?.isElsewhere(stamp) ?? true;
    await clearAbandoned(tmux, { isDead, isElsewhere, ...panes });
  }

  /** Ends control clients and pipes of dead processes; works only on this machine. */
  async sweepClients(tmux: Tmux): Promise<void> {
    const clients = await tmux.rows.list(CLIENT, ["list-clients"]);
    this.#endOrphans(clients.filter(({ control }) => control).map(({ pid }) => pid));
    const [server] = await tmux.rows.list(SERVER, ["list-sessions"]);
    if (server) this.sweepPipes(server.pid);
  }

  /** Ends the pipes of dead processes; each would keep its pane, which has only one, from being read. */
  sweepPipes(serverPid: number): void {
    this.#endOrphans(this.#childrenOf(serverPid).filter((pid) => copiesOn(this.#proc.argv(pid))));
  }

  /** Ends the pipe of a tmux server that copies to the file `path`. */
  endSpoolPipe(serverPid: number, path: string): void {
    for (const pid of this.#childrenOf(serverPid)) {
      if (copiedTo(this.#proc.argv(pid)) === path) this.#libc.kill(pid, SIGTERM);
    }
  }

  /** True if a live process of this program reads a pane of the tmux server through the pane's pipe. */
  readsPipe(serverPid: number, paneId: string): boolean {
    // Until its shell has become `cat`, only the script names the pane.
    const names = (pid: number): boolean =>
      this.#variableOf(pid, PIPE_OF) === paneId ||
      this.#proc.argv(pid).at(-1)?.includes(` ${PIPE_OF}=${paneId};`) === true;
    return this.#childrenOf(serverPid).some((pid) => names(pid) && !this.#isOrphaned(pid));
  }

  /** Returns the pipes of a tmux server that copy to files. */
  spoolsPiped(serverPid: number): SpoolCopier[] {
    return this.#childrenOf(serverPid).flatMap((pid) => {
      const path = copiedTo(this.#proc.argv(pid));
      return path === undefined ? [] : { pid, path, maxBytes: this.#maxFileBytes(pid) };
    });
  }

  /** Identity of this process; undefined where the system shows no process to others. */
  get identity(): ProcessIdentity | undefined {
    const stamp = this.environment[CLIENT_OF];
    return stamp === undefined ? undefined : {
      stamp,
      isDead: (other) => this.isDead(other),
      isElsewhere: (other) => other.split(" ")[2] !== this.#namespace,
      isFromEarlierBoot: (other, lastSign) => this.#isFromEarlierBoot(other, lastSign),
    };
  }

  isOwn(stamp: string): boolean {
    return stamp === this.environment[CLIENT_OF];
  }

  #isFromEarlierBoot(stamp: string, lastSign: number): boolean {
    const [namespace, boot] = stamp.split(" ")[2]?.split("@") ?? [];
    const [here, now] = this.#namespace?.split("@") ?? [];
    if (namespace !== here || boot === now) return false;
    return lastSign < Date.now() - Number(this.#proc.text("uptime")?.split(" ")[0] ?? NaN) * 1000;
  }

  #childrenOf(pid: number): readonly number[] {
    const stat = this.#proc.stat(pid);
    return stat ? this.#proc.children(stat) : [];
  }

  #endOrphans(pids: readonly number[]): void {
    for (const pid of pids) if (this.#isOrphaned(pid)) this.#libc.kill(pid, SIGTERM);
  }

  /** Largest file (bytes) that the kernel lets the process write; see proc_pid_limits(5). */
  #maxFileBytes(pid: number): number {
    const [, limit] = /^Max file size +(\d+)/m.exec(this.#proc.text(`${pid}/limits`) ?? "") ?? [];
    return limit === undefined ? Infinity : Number(limit);
  }

  /** True for a process that a server of this program has started as its control client. */
  isStamped(client: number): boolean {
    return this.#stampOf(client) !== undefined;
  }

  #isOrphaned(client: number): boolean {
    const stamp = this.#stampOf(client);
    return stamp !== undefined && this.isDead(stamp);
  }

  #stampOf(client: number): string | undefined {
    return this.#variableOf(client, CLIENT_OF);
  }

  #variableOf(pid: number, name: string): string | undefined {
    const environment = this.#proc.text(`${pid}/environ`)?.split("\0") ?? [];
    return environment.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
  }

  /** True if the stamp belongs to a dead process of this machine. */
  isDead(stamp: string): boolean {
    const [pid, startTime, namespace] = stamp.split(" ");
    if (startTime === undefined || namespace === undefined || namespace !== this.#namespace) return false;
    const owner = this.#proc.stat(Number(pid));
    return !isLive(owner) || owner.startTime !== startTime;
  }
}
