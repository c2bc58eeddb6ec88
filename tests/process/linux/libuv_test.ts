// A loop of libuv is known by its own structures in memory; what only looks like one is not.
import { assertEquals } from "@std/assert";
import { LibuvLoops, type MemoryRange } from "../../../src/process/linux/libuv.ts";

const [EPOLL, TERMINAL, WAKEUP] = [13, 17, 16];
const [EVENTS, LOOP, TABLE, WATCHERS] = [0x7ffd_0000_0000n, 0x566fa00n, 0x818de00n, 0x818d000n];

/** A process's memory, where a loop wants the descriptors of `wanted` for these events. */
function memoryOf(wanted: Readonly<Record<number, number>>) {
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

function wants(memory: ReturnType<typeof memoryOf>, loops = new LibuvLoops(), maxEvents = 1024n) {
  const args = [BigInt(EPOLL), EVENTS, maxEvents, 0xffffffffn];
  return loops.wants({ process: "7 100", args, read: memory.read }, TERMINAL);
}

Deno.test("libuv: a descriptor is wanted while it has a watcher that reads", () => {
  assertEquals(wants(memoryOf({ [WAKEUP]: 1, [TERMINAL]: 1 })), true);
  assertEquals(wants(memoryOf({ [WAKEUP]: 1, [TERMINAL]: 4 })), false, "only to write");
  assertEquals(wants(memoryOf({ [WAKEUP]: 1 })), false);
});

Deno.test("libuv: what is no loop says nothing", () => {
  assertEquals(
    wants(memoryOf({ [WAKEUP]: 1 }), new LibuvLoops(), 64n),
    undefined,
    "another number of events",
  );
  assertEquals(wants(memoryOf({})), undefined, "an empty table");
  const other = memoryOf({ [WAKEUP]: 1 });
  new DataView(other.pages.get(WATCHERS + BigInt(WAKEUP * 64))!.buffer).setInt32(48, 5, true);
  assertEquals(wants(other), undefined, "a watcher in another's place");
  const unreadable = memoryOf({ [WAKEUP]: 1 });
  unreadable.pages.clear();
  assertEquals(wants(unreadable), undefined);
});

Deno.test("libuv: a loop that was found is not searched for again", () => {
  const memory = memoryOf({ [WAKEUP]: 1 });
  const loops = new LibuvLoops();
  wants(memory, loops);
  memory.reads.length = 0;
  assertEquals(wants(memory, loops), false);
  assertEquals(memory.reads.map(({ address }) => address), [LOOP, TABLE, WATCHERS + BigInt(WAKEUP * 64)]);
});
