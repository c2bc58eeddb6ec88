// The kernel reports the end of a process; nothing polls for it meanwhile.
import { assertEquals } from "@std/assert";
import type { ExitWatch } from "../../../src/process/probe.ts";
import { createProbe } from "../../../src/process/create_probe.ts";
import { openSocketLibc } from "../../../src/ffi/sockets.ts";
import { Poller } from "../../../src/ffi/poller.ts";
import { ExitNotifier } from "../../../workers/processes/exit_notifier.ts";
import { openSystemLibc } from "../../process/system_libc.ts";
import { findLibcPath } from "../../tmux/private_tmux.ts";

/** Counts how often it is asked. */
class CountedWatch implements ExitWatch {
  readonly #watch: ExitWatch;
  readonly fd?: number;
  asked = 0;

  constructor(watch: ExitWatch, { withDescriptor }: { withDescriptor: boolean }) {
    this.#watch = watch;
    if (withDescriptor && watch.fd !== undefined) this.fd = watch.fd;
  }

  poll() {
    this.asked++;
    return this.#watch.poll();
  }

  close(): void {
    this.#watch.close();
  }
}

interface Heard {
  watch: CountedWatch;
  exit: ExitNotifier;
  ended: Promise<void>;
  kill(): Promise<unknown>;
}

/** Watches a process that lives until it is killed. */
async function follow(withDescriptor: boolean, use: (heard: Heard) => Promise<void>): Promise<void> {
  const libc = openSystemLibc();
  using socketLibc = openSocketLibc(findLibcPath());
  const child = new Deno.Command("sleep", { args: ["600"] }).spawn();
  const kill = (): Promise<unknown> => {
    child.kill("SIGKILL");
    return child.status;
  };
  const ended = Promise.withResolvers<void>();
  const watch = new CountedWatch(createProbe(libc).watchExit(child.pid), { withDescriptor });
  const exit = new ExitNotifier(watch, new Poller(socketLibc), () => ended.resolve());
  try {
    await use({ watch, exit, ended: ended.promise, kill });
  } finally {
    exit.close();
    await child.status;
    libc.unload();
  }
}

Deno.test({
  name: "the end of a process is heard, and until then nobody is asked",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    follow(true, async ({ watch, exit, ended, kill }) => {
      assertEquals([exit.ended, watch.asked], [false, 0]);
      await kill();
      await ended;
      assertEquals([exit.ended, watch.asked], [true, 1]);
    }),
});

Deno.test("where the kernel tells of no end it is asked for", () =>
  follow(false, async ({ watch, exit, kill }) => {
    assertEquals([exit.ended, watch.asked], [false, 1]);
    await kill();
    assertEquals([exit.ended, watch.asked], [true, 2]);
  }));
