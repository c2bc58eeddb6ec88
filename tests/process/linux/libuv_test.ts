// A loop of libuv is known by its own structures in memory; what only looks like one is not.
import { assertEquals } from "@std/assert";
import { LibuvLoops, type MemoryRange } from "../../../src/process/linux/libuv.ts";

const [EPOLL, TERMINAL, WAKEUP] = [13, 17, 16];
const [TTY, PIPE] = [14, 7];
/** Flags of a handle that reads, with or without a reference that keeps its loop alive. */
const [REFERENCED, UNREFERENCED] = [0xd00c, 0xd004];
const [EVENTS, LOOP, TABLE, WATCHERS] = [0x7ffd_0000_0000n, 0x566fa00n, 0x818de00n, 0x818d000n];

/** The handle that reads the terminal, and how many handles and requests keep the loop alive. */
interface Handle {
  readonly flags: number;
  readonly handles?: number;
  readonly requests?: number;
  readonly type?: number;
}

/** A process's memory, where a loop wants the descriptors of `wanted` for these events. */
function memoryOf(wanted: Readonly<Record<number, number>>, handle?: Handle) {
  const pages = new Map<bigint, Uint8Array>();
  const page = (address: bigint, size: number) => {
    const view = new DataView(new ArrayBuffer(size));
    pages.set(address, new Uint8Array(view.buffer));
    return view;
  };
  page(EVENTS + 12288n, 1024).setBigUint64(8, LOOP, true);
  const loop = page(LOOP, 120);
  loop.setInt32(64, EPOLL, true);
  loop.setBigUint64(104, TABLE, true);
  loop.setUint32(112, 30, true);
  loop.setUint32(8, handle?.handles ?? 1, true);
  loop.setUint32(32, handle?.requests ?? 0, true);
  if (handle) {
    const tty = page(WATCHERS + BigInt(TERMINAL * 64) - 136n, 136);
    tty.setBigUint64(8, LOOP, true);
    tty.setInt32(16, handle.type ?? TTY, true);
    tty.setUint32(88, handle.flags, true);
  }
  const table = page(TABLE, 240);
  for (const [fd, events] of Object.entries(wanted)) {
    const address = WATCHERS + BigInt(Number(fd) * 64);
    table.setBigUint64(Number(fd) * 8, address, true);
    const watcher = page(address, 56);
    watcher.setUint32(40, events, true);
    watcher.setInt32(48, Number(fd), true);
  }
  const reads: MemoryRange[] = [];
  const read = (ranges: readonly MemoryRange[]) => {
    reads.push(...ranges);
    return ranges.map(({ address, length }) => pages.get(address)?.subarray(0, length));
  };
  return { pages, reads, read };
}

function waitIn(memory: ReturnType<typeof memoryOf>, loops = new LibuvLoops(), maxEvents = 1024n) {
  const args = [BigInt(EPOLL), EVENTS, maxEvents, 0xffffffffn];
  return loops.wait({ process: "7 100", args, read: memory.read }, TERMINAL);
}

Deno.test("libuv: a descriptor is wanted while it has a watcher that reads", () => {
  assertEquals(waitIn(memoryOf({ [WAKEUP]: 1, [TERMINAL]: 1 })), "descriptor");
  assertEquals(waitIn(memoryOf({ [WAKEUP]: 1, [TERMINAL]: 4 })), "others", "only to write");
  assertEquals(waitIn(memoryOf({ [WAKEUP]: 1 })), "others");
});

Deno.test("libuv: a handle without a reference waits for nothing, and one may not be alone", () => {
  const wait = (handle: Handle) => waitIn(memoryOf({ [WAKEUP]: 1, [TERMINAL]: 1 }, handle));
  assertEquals(wait({ flags: REFERENCED }), "descriptor");
  assertEquals(wait({ flags: UNREFERENCED }), "others");
  assertEquals(wait({ flags: REFERENCED, handles: 2 }), "descriptor and others");
  assertEquals(wait({ flags: REFERENCED, requests: 1 }), "descriptor and others");
  assertEquals(wait({ flags: REFERENCED, handles: 4, type: PIPE }), "descriptor", "Neovim's terminal");
});

Deno.test("libuv: what is no loop says nothing", () => {
  assertEquals(
    waitIn(memoryOf({ [WAKEUP]: 1 }), new LibuvLoops(), 64n),
    undefined,
    "another number of events",
  );
  assertEquals(waitIn(memoryOf({})), undefined, "an empty table");
  const other = memoryOf({ [WAKEUP]: 1 });
  new DataView(other.pages.get(WATCHERS + BigInt(WAKEUP * 64))!.buffer).setInt32(48, 5, true);
  assertEquals(waitIn(other), undefined, "a watcher in another's place");
  const unreadable = memoryOf({ [WAKEUP]: 1 });
  unreadable.pages.clear();
  assertEquals(waitIn(unreadable), undefined);
});

Deno.test("libuv: a loop that was found is not searched for again", () => {
  const memory = memoryOf({ [WAKEUP]: 1 });
  const loops = new LibuvLoops();
  waitIn(memory, loops);
  memory.reads.length = 0;
  assertEquals(waitIn(memory, loops), "others");
  assertEquals(memory.reads.map(({ address }) => address), [LOOP, TABLE, WATCHERS + BigInt(WAKEUP * 64)]);
});
