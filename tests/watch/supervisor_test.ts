// Workers that could not be started, and one that is kept.
import { assertEquals, assertThrows } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import type { Libc } from "../../src/ffi/libc.ts";
import { Supervisor, type SupervisorOptions } from "../../src/watch/supervisor.ts";
import type { FollowSpec } from "../../src/watch/protocol.ts";
import { RecordIds } from "../../src/records/record_ids.ts";

/** A process that has this many descriptors left. */
class CrowdedLibc {
  readonly path = "/lib/libc.so.6";
  readonly #free: Set<number>;

  constructor(free: number) {
    this.#free = new Set(Array.from({ length: free }, (_, at) => 100 + at));
  }

  get free(): number {
    return this.#free.size;
  }

  open(): number {
    const [fd = -1] = this.#free;
    this.#free.delete(fd);
    return fd;
  }

  close(fd: number): void {
    this.#free.add(fd);
  }

  clock(): number {
    return 0;
  }
}

const SPEC: FollowSpec = {
  server: { bin: "tmux", socketArgs: [], env: {}, verified: { path: "/nowhere", version: "3.3a" } },
  panes: [{ paneId: "%0", sessionId: "$0", panePid: 1, tty: "/dev/pts/0", columns: 80, serverKey: "1-1" }],
  triggers: [],
  errorPattern: "",
  errorIgnorePattern: "",
  stream: false,
  lingerMs: 0,
};

function supervise(libc: CrowdedLibc): Supervisor {
  return new Supervisor({
    ids: new RecordIds(),
    libc: libc as unknown as Libc,
    socketLibc: { leaveRemovedFolder: () => {} },
    attacher: {},
    bin: "tmux",
    attach: true,
    maxWorkers: 4,
    maxWatches: 4,
    maxDescriptors: 1024,
    clientEnvironment: {},
    spoolOf: () => undefined,
    sweepPipes: () => {},
  } as unknown as SupervisorOptions);
}

Deno.test("where too few descriptors are left at the moment, no worker is begun, which would end the server", () => {
  const libc = new CrowdedLibc(9);
  const supervisor = supervise(libc);
  supervisor.warm();
  const follow = () => supervisor.follow(SPEC, { failed: () => {} }, { watchId: "w1" });
  const { code, message } = assertThrows(follow, AppError);
  assertEquals(code, "busy");
  assertEquals(message, "Cannot start a watch worker: this server has no file descriptor left");
  assertEquals([libc.free, supervisor.clients().size], [9, 0]);
});

Deno.test("where no client attaches, the worker that has read a pipe reads the next one too", async () => {
  const { Worker } = globalThis;
  let started = 0;
  globalThis.Worker = class {
    constructor() {
      started++;
    }
    postMessage(): void {}
    terminate(): void {}
  } as unknown as typeof Worker;
  try {
    const supervisor = supervise(new CrowdedLibc(100));
    const verified = { ...SPEC.server.verified!, version: "3.2a" };
    const spec = { ...SPEC, server: { ...SPEC.server, verified } };
    for (let round = 0; round < 3; round++) {
      supervisor.warm();
      supervisor.follow(spec, { failed: () => {} }).stop({ atOnce: true });
    }
    assertEquals(started, 2);
    await supervisor.close();
  } finally {
    globalThis.Worker = Worker;
  }
});
