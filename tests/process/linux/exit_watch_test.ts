import { assertEquals } from "@std/assert";
import type { Libc } from "../../../src/ffi/libc.ts";
import { watchExit } from "../../../src/process/linux/exit_watch.ts";
import type { ProcFs } from "../../../src/process/linux/procfs.ts";
import { createProbe } from "../../../src/process/create_probe.ts";
import type { ExitWatch, Probe } from "../../../src/process/probe.ts";
import { openSystemLibc } from "../system_libc.ts";

/** A process that another process has to wait for; it ends in the given way when a line comes. */
class Grandchild implements AsyncDisposable {
  readonly #parent: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

  constructor(end: string, after = "") {
    const script = `sh -c 'echo $$; read x; ${end}'; ${after} read y`;
    this.#parent = new Deno.Command("sh", { args: ["-c", script], stdin: "piped", stdout: "piped" }).spawn();
    this.#writer = this.#parent.stdin.getWriter();
    this.#reader = this.#parent.stdout.getReader();
  }

  async pid(): Promise<number> {
    const { value } = await this.#reader.read();
    return Number(new TextDecoder().decode(value));
  }

  /** The read end of the pipe is shared, so one line reaches one reader. */
  end(): Promise<void> {
    return this.#writer.write(new TextEncoder().encode("\n"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close().catch(() => {});
    await this.#parent.status;
    await this.#reader.cancel();
  }
}

async function ending(watch: ExitWatch): Promise<unknown> {
  for (let tries = 0; tries < 1000; tries++) {
    const exit = watch.poll();
    if (exit !== undefined) return exit;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return "still alive";
}

async function watchOne(probe: Probe, end: string, after?: string): Promise<unknown> {
  await using child = new Grandchild(end, after);
  const watch = probe.watchExit(await child.pid());
  assertEquals(watch.poll(), undefined);
  await child.end();
  const exit = await ending(watch);
  assertEquals(watch.poll(), exit);
  watch.close();
  watch.close();
  return exit;
}

/** Since Linux 6.15 the kernel keeps the status for those who held a pidfd. */
const [major = 0, minor = 0] = Deno.osRelease().split(".").map(Number);
const tells = Deno.build.os === "linux" && (major > 6 || (major === 6 && minor >= 15));

Deno.test("watchExit() tells code and signal of a process that is not ours", async () => {
  const libc = openSystemLibc();
  const probe = createProbe(libc);
  const exits = [
    await watchOne(probe, "exit 3"),
    await watchOne(probe, "exit 0"),
    await watchOne(probe, "kill -TERM $$"),
  ];
  if (tells) assertEquals(exits, [{ exitCode: 3 }, { exitCode: 0 }, { exitSignal: "SIGTERM" }]);
  else for (const exit of exits) assertEquals(typeof exit, "object");
  libc.unload();
});

Deno.test("watchExit() of a process that is gone says so at once", () => {
  const libc = openSystemLibc();
  const probe = createProbe(libc);
  const watch = probe.watchExit(2 ** 22 + 1);
  assertEquals(watch.poll(), {});
  watch.close();
  libc.unload();
});

Deno.test("startTime() and groupAlive() know the living from the gone", async () => {
  const libc = openSystemLibc();
  const probe = createProbe(libc);
  const child = new Grandchild("exit 0");
  const pid = await child.pid();
  const time = probe.startTime(pid);
  assertEquals(typeof time, "string");
  assertEquals(probe.startTime(pid), time);
  assertEquals(probe.groupAlive(2 ** 22 + 1), false);
  assertEquals([probe.groupAlive(0), probe.groupAlive(-1), probe.groupAlive(1)], [false, false, false]);
  await child.end();
  await child[Symbol.asyncDispose]();
  assertEquals(probe.startTime(pid), undefined);
  libc.unload();
});

const PIDFD_INFO_EXIT = 8;
const SIGHUP = 1;

Deno.test("an ending is reported although the process is collected meanwhile", () => {
  let collected = false;
  const libc = {
    syscall: () => 9,
    close: () => 0,
    isReadable: () => true,
    ioctl(_fd: number, _request: bigint, info: Uint8Array) {
      const view = new DataView(info.buffer);
      view.setUint32(0, collected ? PIDFD_INFO_EXIT : 0, true);
      view.setInt32(60, SIGHUP, true);
      return 0;
    },
  } as unknown as Libc;
  const proc = {
    calls: { numberOf: () => 434 },
    stat: () => void (collected = true),
  } as unknown as ProcFs;
  assertEquals(watchExit(libc, proc, 7).poll(), { exitSignal: "SIGHUP" });
});
