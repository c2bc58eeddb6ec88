import { assertEquals } from "@std/assert";
import type { Connection } from "../../src/ffi/sockets.ts";
import { type Followed, Poller } from "../../src/ffi/poller.ts";

const FLOOD = 8192;
const POLLFD_BYTES = 8;

function silent(fd: number): Connection {
  return {
    fd,
    peerPid: 0,
    send: () => 0,
    pass: () => 0,
    receive: () => "none yet",
    wait: async () => {},
    shutdown() {},
    close() {},
  };
}

/** Follows a stream that always has something, as much as `sizes` say, and says which reads the kernel was asked for. */
async function asked(sizes: readonly number[]): Promise<boolean[]> {
  const found: boolean[] = [];
  const over = Promise.withResolvers<void>();
  let polled = false;
  const poller = new Poller({
    pair: () => [silent(1), silent(2)],
    poll(fds) {
      polled = true;
      new DataView(fds.buffer).setInt16(POLLFD_BYTES + 6, 1, true);
      return Promise.resolve();
    },
  });
  const stream: Followed = {
    fd: 3,
    wantsRoom: () => false,
    ready() {
      const size = sizes[found.length]!;
      found.push(polled);
      polled = false;
      if (found.length < sizes.length) return size;
      poller.leave(stream);
      over.resolve();
      return size;
    },
  };
  poller.follow(stream);
  await over.promise;
  return found;
}

Deno.test("a flood is let run up between reads, without asking the kernel", async () => {
  assertEquals(await asked(Array(9).fill(FLOOD)), [...Array(5).fill(true), ...Array(4).fill(false)]);
});

Deno.test("what follows a flood is waited for", async () => {
  const sizes = [...Array(6).fill(FLOOD), 10, 10, FLOOD, 10];
  assertEquals(await asked(sizes), [...Array(5).fill(true), false, false, true, true, true]);
});

Deno.test("small output and short bursts are read as they come", async () => {
  const sizes = [...Array(20).fill(4000), FLOOD, FLOOD, FLOOD, 10, FLOOD, FLOOD, 10];
  assertEquals(await asked(sizes), sizes.map(() => true));
});
