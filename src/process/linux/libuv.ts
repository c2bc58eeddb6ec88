// Reads from a blocked event loop of libuv (node, Neovim, Julia) if it still wants a descriptor: after the program
// has stopped reading, the descriptor stays in the epoll set until it is ready once.

export interface MemoryRange {
  readonly address: bigint;
  readonly length: number;
}

/** Reads pieces of a process's memory; undefined for each that can't be read. */
export type ReadMemory = (ranges: readonly MemoryRange[]) => readonly (Uint8Array | undefined)[];

/** A thread that is blocked in `epoll_wait`. */
export interface BlockedLoop {
  /** Identifies the process, and no later one with the same pid. */
  readonly process: string;
  readonly args: readonly bigint[];
  readonly read: ReadMemory;
}

/** Number of `struct epoll_event` (12 bytes each) that `uv__io_poll` keeps on its stack. */
const EVENTS = 1024;
const EVENTS_SIZE = EVENTS * 12;
/**
 * Distance (bytes) after these events within which the pointer to the loop is: in the frames of that function and of
 * `uv_run`.
 */
const FRAMES_SIZE = 1024;
/** `uv_loop_t`, whose layout is public and has not changed since libuv 1.0. */
const LOOP = { size: 120, backendFd: 64, watchers: 104, watcherCount: 112 };
/** `uv__io_t`; `watchers` has a pointer to one for each descriptor that is wanted. */
const WATCHER = { size: 56, wantedEvents: 40, fd: 48 };
const POLLIN = 1;
const LOWEST_ADDRESS = 0x10000n;
const HIGHEST_ADDRESS = 1n << 48n;
const MAX_WATCHERS = 4096;
const MAX_KNOWN = 256;

export class LibuvLoops {
  /** Addresses of known loops: finding one costs some 50 reads, and it does not move. */
  readonly #known: Map<string, bigint> = new Map();

  /**
   * True if the loop wants to read a descriptor; undefined for a loop of another library, or if memory can't be read.
   */
  wants(blocked: BlockedLoop, fd: number): boolean | undefined {
    if (Number(blocked.args[2] ?? 0n) !== EVENTS) return undefined;
    const key = `${blocked.process} ${blocked.args[0]}`;
    const known = this.#known.get(key);
    if (known !== undefined) {
      const cached = this.#ofLoops(blocked, [known], fd);
      if (cached !== undefined) return cached.wants;
    }
    const found = this.#ofLoops(blocked, possibleLoops(blocked), fd);
    if (found === undefined) return undefined;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(key, found.loop);
    return found.wants;
  }

  #ofLoops(
    { args, read }: BlockedLoop,
    addresses: readonly bigint[],
    fd: number,
  ): { loop: bigint; wants: boolean } | undefined {
    const epoll = Number(BigInt.asIntN(32, args[0] ?? 0n));
    const loops = read(addresses.map((address) => ({ address, length: LOOP.size })));
    for (const [index, bytes] of loops.entries()) {
      const loop = viewOf(bytes, LOOP.size);
      if (loop?.getInt32(LOOP.backendFd, true) !== epoll) continue;
      const wants = wantsToRead(read, loop, fd);
      if (wants !== undefined) return { loop: addresses[index]!, wants };
    }
    return undefined;
  }
}

/** Undefined if this is not a table of watchers, in which each descriptor has its own place. */
function wantsToRead(read: ReadMemory, loop: DataView, fd: number): boolean | undefined {
  const count = loop.getUint32(LOOP.watcherCount, true);
  if (fd >= count || count > MAX_WATCHERS) return undefined;
  const [table] = read([{ address: loop.getBigUint64(LOOP.watchers, true), length: count * 8 }]);
  if (table?.length !== count * 8) return undefined;
  const entries = new BigUint64Array(table.slice().buffer);
  const first = entries.findIndex((entry) => entry !== 0n);
  if (first < 0) return undefined;
  const indexes = entries[fd] === 0n ? [first] : [first, fd];
  const watchers = read(indexes.map((index) => ({ address: entries[index]!, length: WATCHER.size })))
    .map((bytes) => viewOf(bytes, WATCHER.size));
  const areWatchers = watchers.every((watcher, at) => watcher?.getInt32(WATCHER.fd, true) === indexes[at]);
  if (!areWatchers) return undefined;
  return indexes.length > 1 && (watchers[1]!.getUint32(WATCHER.wantedEvents, true) & POLLIN) !== 0;
}

function possibleLoops({ args, read }: BlockedLoop): bigint[] {
  const [frames] = read([{ address: (args[1] ?? 0n) + BigInt(EVENTS_SIZE), length: FRAMES_SIZE }]);
  if (frames === undefined) return [];
  const words = new BigUint64Array(frames.slice(0, frames.length & ~7).buffer);
  const isAddress = (word: bigint) => word % 8n === 0n && word >= LOWEST_ADDRESS && word < HIGHEST_ADDRESS;
  return [...new Set(words.filter(isAddress))];
}

function viewOf(bytes: Uint8Array | undefined, size: number): DataView | undefined {
  return bytes?.length === size ? new DataView(bytes.buffer, bytes.byteOffset, size) : undefined;
}
