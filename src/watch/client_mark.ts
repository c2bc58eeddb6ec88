// Marks this process's control clients with its name, and ends those whose process is dead.
import { isLive } from "../process/linux/foreground.ts";
import type { Libc } from "../process/libc.ts";
import { ProcFs } from "../process/linux/procfs.ts";
import type { Tmux } from "../tmux/tmux.ts";

const VARIABLE = "TMUX_MCP_CLIENT_OF";
const CLIENT = { pid: "#{client_pid}", control: "#{client_control_mode}" };
const SIGTERM = 15;

/**
 * A control client whose reader stalled and died stays attached for good and keeps `kill-server` from finishing
 * (tmux up to 3.7); only a signal to it ends it. The mark, in its environment, proves whose it was. Linux only: no
 * other system shows a process's environment this way, so nothing is marked or ended there.
 */
export class ClientMark {
  /** What a control client's environment says of its owner. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #libc: Libc;
  readonly #proc: ProcFs;
  /** Pids mean nothing in another container. */
  readonly #namespace: string | undefined;

  constructor(libc: Libc, pid: number) {
    this.#libc = libc;
    this.#proc = new ProcFs(libc);
    this.#namespace = libc.readLink("/proc/self/ns/pid");
    const startTime = this.#proc.stat(pid)?.startTime;
    const known = startTime !== undefined && this.#namespace !== undefined;
    this.environment = known ? { [VARIABLE]: `${pid} ${startTime} ${this.#namespace}` } : {};
  }

  /** Ends the control clients of a tmux server that are provably of a process like this one and dead. */
  async sweep(tmux: Tmux): Promise<void> {
    const clients = await tmux.list(CLIENT, ["list-clients"]);
    for (const { pid, control } of clients) {
      if (control === "1" && this.#isOrphan(Number(pid))) this.#libc.kill(Number(pid), SIGTERM);
    }
  }

  #isOrphan(client: number): boolean {
    const environment = this.#proc.text(`${client}/environ`)?.split("\0") ?? [];
    const mark = environment.find((entry) => entry.startsWith(`${VARIABLE}=`))?.slice(VARIABLE.length + 1);
    const [pid, startTime, namespace] = mark?.split(" ") ?? [];
    if (startTime === undefined || namespace === undefined || namespace !== this.#namespace) return false;
    const owner = this.#proc.stat(Number(pid));
    return !isLive(owner) || owner.startTime !== startTime;
  }
}
