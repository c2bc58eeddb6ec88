// TCP ports that programs listen on, and the owners of their sockets.

/** A TCP port that a program listens on. */
export interface ListeningPort {
  /** Port number. */
  readonly port: number;
  /** Local address, such as `127.0.0.1`, `0.0.0.0` or `::`. */
  readonly address: string;
  /** Pid of the process that holds the socket. */
  readonly pid: number;
  /** Name of the program. */
  readonly command: string;
  /** The kernel's name of its network namespace, if that is not this machine's own and can't be reached from here. */
  readonly namespace?: string;
}

/** A port in use; the program is absent if it belongs to another user. */
export type TakenPort = Pick<ListeningPort, "port" | "address"> & Partial<ListeningPort>;

/** Follows the ports of one pane's programs until closed. */
export interface PortMonitor {
  /** `now` is a time of `performance.now()`. Undefined until another machine has replied for the first time. */
  poll(now: number): readonly ListeningPort[] | undefined;
  /** Ports found by the first poll; on another machine, those in the first reply. */
  readonly first: readonly ListeningPort[] | undefined;
  close(): void;
}

/** A socket that accepts connections, from the kernel's table. */
export interface ListeningSocket {
  readonly inode: string;
  readonly port: number;
  readonly address: string;
  readonly namespace?: string;
}

export type SocketOwner = Pick<ListeningPort, "pid" | "command">;

/** Time (ms) after which an owner that was not found is searched for again; it doubles each time, up to the last. */
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5000;
/** Divisor: searching may take at most this part of the time. */
const SHARE = 20;

/** Returns a sentence such as `python3 listens on 127.0.0.1:8000`. */
export function describeListening({ command, address, port, namespace }: ListeningPort): string {
  const where = address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
  const inside = namespace === undefined ? "" : ` in another network namespace, ${namespace}`;
  return `${command} listens on ${where}${inside}`;
}

/** Cache of sockets' owners: finding them takes reading every descriptor of every process. */
export class SocketOwners {
  readonly #known: Map<string, { owner: SocketOwner | undefined; retryMs: number; retryAt: number }> =
    new Map();

  /** Returns the sockets whose owners must be searched for now; `alive` are the known live processes. */
  wanted(sockets: readonly ListeningSocket[], alive: ReadonlySet<number>, now: number): Set<string> {
    const inodes = new Set(sockets.map(({ inode }) => inode));
    for (const inode of this.#known.keys()) if (!inodes.has(inode)) this.#known.delete(inode);
    return new Set([...inodes].filter((inode) => {
      const known = this.#known.get(inode);
      if (known?.owner !== undefined && alive.has(known.owner.pid)) return false;
      return known === undefined || now >= known.retryAt;
    }));
  }

  /** Notes the owners that were found for the wanted sockets; the search took `tookMs`. */
  learn(
    wanted: ReadonlySet<string>,
    found: ReadonlyMap<string, SocketOwner>,
    { now, tookMs }: { now: number; tookMs: number },
  ): void {
    for (const inode of wanted) {
      const owner = found.get(inode);
      const before = this.#known.get(inode)?.retryMs ?? FIRST_RETRY_MS / 2;
      const retryMs = Math.min(before * 2, LAST_RETRY_MS);
      this.#known.set(inode, { owner, retryMs, retryAt: now + Math.max(retryMs, tookMs * SHARE) });
    }
  }

  /** Returns the ports with a known owner, each address once. */
  ports(sockets: readonly ListeningSocket[]): ListeningPort[] {
    const ports = new Map<string, ListeningPort>();
    for (const { inode, ...socket } of sockets) {
      const owner = this.#known.get(inode)?.owner;
      const key = `${socket.port} ${socket.address} ${socket.namespace ?? ""}`;
      const other = ports.get(key);
      if (owner && (other === undefined || owner.pid < other.pid)) ports.set(key, { ...socket, ...owner });
    }
    return [...ports.values()].sort((a, b) => a.port - b.port || (a.address < b.address ? -1 : 1));
  }
}
