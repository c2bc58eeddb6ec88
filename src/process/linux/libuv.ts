// Reads from a blocked event loop of libuv (node, Neovim, Julia) if it still wants a descriptor, and what else it waits
// for: after the program has stopped reading, the descriptor stays in the epoll set until it is ready once.

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
/** Distance (bytes) after these events within which the loop's pointer is: in that function's frames and `uv_run`'s. */
const FRAMES_SIZE = 1024;
/** `uv_loop_t`, whose layout is public and has not changed since libuv 1.0; it counts active handles with a reference. */
const LOOP = {
  size: 120,
  activeHandles: 8,
  activeRequests: 32,
  backendFd: 64,
  watchers: 104,
  watcherCount: 112,
};
/** `uv__io_t`; `watchers` has a pointer to one for each descriptor that is wanted. */
const WATCHER = { size: 56, wantedEvents: 40, fd: 48 };
const POLLIN = 1;
/** `uv_tty_t`, which contains the watcher of its descriptor; Neovim reads its terminal as a `uv_pipe_t`. */
const TTY = { watcher: 136, loop: 8, type: 16, flags: 88 };
const TYPE_TTY = 14;
const REFERENCED = 8;

/** Events that a loop waits for; a handle without a reference doesn't keep it from ending, so it doesn't wait for that. */
export type LoopWait = "others" | "descriptor" | "descriptor and others";
const LOWEST_ADDRESS = 0x10000n;
const HIGHEST_ADDRESS = 1n << 48n;
const MAX_WATCHERS = 4096;
const MAX_KNOWN = 256;

export class LibuvLoops {
  /** Addresses of known loops: finding one costs some 50 reads, and it does not move. */
  readonly #known: Map<string, bigint> = new Map();

  /** Undefined for a loop of another library, or if memory can't be read. */
  wait(blocked: BlockedLoop, fd: number): LoopWait | undefined {
    if (Number(blocked.args[2] ?? 0n) !== EVENTS) return undefined;
    const key = `${blocked.process} ${blocked.args[0]}`;
    const known = this.#known.get(key);
    if (known !== undefined) {
      const cached = this.#ofLoops(blocked, [known], fd);
      if (cached !== undefined) return cached.wait;
    }
    const found = this.#ofLoops(blocked, possibleLoops(blocked), fd);
    if (found === undefined) return undefined;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(key, found.loop);
    return found.wait;
  }

  #ofLoops(
    { args, read }: BlockedLoop,
    addresses: readonly bigint[],
    fd: number,
  ): { loop: bigint; wait: LoopWait } | undefined {
    const epoll = Number(BigInt.asIntN(32, args[0] ?? 0n));
    const loops = read(addresses.map((address) => ({ address, length: LOOP.size })));
    for (const [index, bytes] of loops.entries()) {
      const fields = viewOf(bytes, LOOP.size);
      if (fields?.getInt32(LOOP.backendFd, true) !== epoll) continue;
      const address = addresses[index]!;
      const wait = waitOf(read, { address, fields }, fd);
      if (wait !== undefined) return { loop: address, wait };
    }
    return undefined;
  }
}

interface Loop {
  readonly address: bigint;
  readonly fields: DataView;
}

/** Undefined if this is not a table of watchers, in which each descriptor has its own place. */
function waitOf(read: ReadMemory, loop: Loop, fd: number): LoopWait | undefined {
  const { fields } = loop;
  const count = fields.getUint32(LOOP.watcherCount, true);
  if (fd >= count || count > MAX_WATCHERS) return undefined;
  const [table] = read([{ address: fields.getBigUint64(LOOP.watchers, true), length: count * 8 }]);
  if (table?.length !== count * 8) return undefined;
  const entries = new BigUint64Array(table.slice().buffer);
  const first = entries.findIndex((entry) => entry !== 0n);
  if (first < 0) return undefined;
  const indexes = entries[fd] === 0n ? [first] : [first, fd];
  const watchers = read(indexes.map((index) => ({ address: entries[index]!, length: WATCHER.size })))
    .map((bytes) => viewOf(bytes, WATCHER.size));
  const areWatchers = watchers.every((watcher, at) => watcher?.getInt32(WATCHER.fd, true) === indexes[at]);
  if (!areWatchers) return undefined;
  const reads = indexes.length > 1 && (watchers[1]!.getUint32(WATCHER.wantedEvents, true) & POLLIN) !== 0;
  return reads ? waitWithTerminal(read, loop, entries[fd]! - BigInt(TTY.watcher)) : "others";
}

/** `address`: where the handle begins, if a `uv_tty_t` reads the descriptor. */
function waitWithTerminal(read: ReadMemory, loop: Loop, address: bigint): LoopWait {
  const tty = viewOf(read([{ address, length: TTY.watcher }])[0], TTY.watcher);
  const isTty = tty?.getBigUint64(TTY.loop, true) === loop.address &&
    tty.getInt32(TTY.type, true) === TYPE_TTY;
  if (!isTty) return "descriptor";
  if ((tty.getUint32(TTY.flags, true) & REFERENCED) === 0) return "others";
  const isAlone = loop.fields.getUint32(LOOP.activeHandles, true) === 1 &&
    loop.fields.getUint32(LOOP.activeRequests, true) === 0;
  return isAlone ? "descriptor" : "descriptor and others";
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
