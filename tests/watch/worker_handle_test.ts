// One worker's life: its failures affect nothing else.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import type { Libc } from "../../src/ffi/libc.ts";
import type { Via } from "../../src/tmux/ssh/command.ts";
import type { FollowSpec, HostMessage } from "../../src/watch/protocol.ts";
import { WakeScheduler } from "../../src/watch/wake_scheduler.ts";
import { Follow, type FollowHandlers } from "../../src/watch/follow.ts";
import { WorkerHandle } from "../../src/watch/worker_handle.ts";
import { findLibcPath, type PrivateTmux, privateTmux } from "../tmux/private_tmux.ts";
import { createProcessExec } from "../../src/tmux/spawn.ts";
import { settle } from "../process/panes.ts";
import { openSystemLibc } from "../process/system_libc.ts";
import { until } from "../support/until.ts";

async function specOf(tmux: PrivateTmux): Promise<FollowSpec> {
  const reply = await createProcessExec(tmux.target)([
    ["display-message", "-p", "-t", "=main:", "#{pane_id} #{session_id} #{pane_pid} #{pane_tty}"],
  ]);
  const [paneId = "", sessionId = "", panePid, tty = ""] = new TextDecoder().decode(reply.stdout).trim()
    .split(" ");
  return {
    server: tmux.target,
    panes: [{ paneId, sessionId, panePid: Number(panePid), tty, columns: 80, serverKey: "1-1" }],
    triggers: [{ kind: "bell", event: "bell" }],
    errorPattern: "",
    errorIgnorePattern: "",
    stream: false,
    lingerMs: 0,
  };
}

interface Watched {
  worker: WorkerHandle;
  lost: Promise<void>;
  ended: number[];
}

interface StartOptions {
  bin?: string;
  entry?: URL;
  wakeScheduler?: WakeScheduler;
  libcPath?: string;
}

function start(
  { bin = "tmux", entry, wakeScheduler = new WakeScheduler({ clock: () => 0 }), libcPath = findLibcPath() }:
    StartOptions = {},
): Watched {
  const lost = Promise.withResolvers<void>();
  const ended: number[] = [];
  const worker = new WorkerHandle({
    libcPath,
    bin,
    wakeScheduler,
    ...(entry && { entry }),
    endClient: ({ pid }) => ended.push(pid),
    idle: () => {},
    refused: () => {},
    failed: (follow, error) => follow.fail(error),
    lost: () => lost.resolve(),
  });
  return { worker, lost: lost.promise, ended };
}

interface Begun {
  ready: Promise<void>;
  failed: Promise<AppError>;
}

function begin(
  worker: WorkerHandle,
  watchId: string,
  { spec, handlers }: { spec: FollowSpec; handlers?: Partial<FollowHandlers> },
): Begun {
  const { promise: failed, resolve } = Promise.withResolvers<AppError>();
  const follow = new Follow({ watchId, spec, handlers: { ...handlers, failed: resolve }, isWatch: true });
  follow.serve(worker);
  return { ready: follow.ready, failed };
}

Deno.test("a follow that cannot begin fails alone", async () => {
  await using tmux = await privateTmux();
  const { worker } = start();
  const spec = await specOf(tmux);
  const good = begin(worker, "good", { spec });
  const bad = begin(worker, "bad", { spec: { ...spec, panes: "none" as unknown as [] } });
  assertEquals((await bad.failed).code, "internal");
  await good.ready;
  assertEquals((await worker.report("good")).output, "");
  await worker.end();
});

Deno.test("a command for a follow whose client is gone is a failed reply, and the worker serves on", async () => {
  await using tmux = await privateTmux();
  const { worker } = start();
  await begin(worker, "first", { spec: await specOf(tmux) }).ready;
  await createProcessExec(tmux.target)([["kill-server"]]);
  await assertRejects(() => worker.send("first", [["display-message", "-p", "x"]]), AppError, "tmux refused");
  assert(worker.load === 1);
  await worker.end();
});

Deno.test("a client that is kept for the next follow detaches by itself when its worker ends", async () => {
  await using tmux = await privateTmux();
  const { worker, ended } = start();
  await begin(worker, "last", { spec: { ...await specOf(tmux), lingerMs: 60_000 } }).ready;
  worker.stop("last", { atOnce: false });
  await worker.end();
  assertEquals(ended, []);
});

Deno.test("a reply is handed over before the output that came with it", async () => {
  await using tmux = await privateTmux();
  const { worker } = start({ entry: new URL("replying_worker.ts", import.meta.url) });
  const order: string[] = [];
  begin(worker, "w", { spec: await specOf(tmux), handlers: { bytes: () => order.push("output") } });
  await worker.read("w", [["display-message"]], (printed) => order.push(printed));
  assertEquals(order, ["replied", "output"]);
  await worker.end();
});

Deno.test("a worker that owes a reply is not idle, though nothing is followed any more", async () => {
  await using tmux = await privateTmux();
  const exec = createProcessExec(tmux.target);
  const { worker } = start();
  const spec = await specOf(tmux);
  await begin(worker, "last", { spec: { ...spec, server: { ...spec.server, unattached: true } } }).ready;
  const reply = worker.send("last", [["wait-for", "told"], ["display-message", "-p", "late"]]);
  worker.stop("last", { atOnce: true });
  await until(() => worker.clients.length === 0);
  assertEquals([worker.load, worker.idle], [0, false]);
  await exec([["wait-for", "-S", "told"]]);
  assertEquals(await reply, "late");
  assertEquals(worker.idle, true);
  await worker.end();
});

Deno.test("a request to a follow that is stopped while its host is prepared is gone, and its worker idle", async () => {
  await using tmux = await privateTmux();
  const { worker } = start({ bin: "false" });
  const spec = await specOf(tmux);
  const via: Via = {
    host: "there",
    system: "Linux",
    architecture: "x86_64",
    bin: "false",
    args: [],
    env: {},
  };
  begin(worker, "early", { spec: { ...spec, server: { ...spec.server, via } } });
  const requests = [worker.send("early", [["list-panes"]]), worker.report("early")];
  const refused = Promise.all(requests.map((request) => assertRejects(() => request, AppError, "has ended")));
  worker.stop("early", { atOnce: true });
  await until(() => worker.idle);
  await refused;
  await worker.end();
});

Deno.test("a worker that crashes fails its follows as internal and has its clients ended", async () => {
  await using tmux = await privateTmux();
  const { worker, lost, ended } = start({ entry: new URL("crashing_worker.ts", import.meta.url) });
  const spec = await specOf(tmux);
  const follows = ["w0", "w1"].map((watchId) => begin(worker, watchId, { spec }));
  for (const { failed } of follows) {
    const { code, message } = await failed;
    assertEquals(code, "internal");
    assert(message.includes("crashed on purpose"), message);
  }
  await lost;
  assertEquals(ended, [4242]);
  await assertRejects(() => worker.report("w0"), AppError, "has ended");
});

Deno.test("a worker has no access to files, environment, network, or programs other than its own", async () => {
  await using tmux = await privateTmux();
  // The worker may be over before a follow could be described.
  const spec = await specOf(tmux);
  const { worker, lost } = start({ entry: new URL("prying_worker.ts", import.meta.url) });
  const { failed } = begin(worker, "w0", { spec });
  assertEquals((await failed).message, "It may: nothing");
  await lost;
});

Deno.test("a worker that cannot be set up says why to those that it would have served", async () => {
  await using tmux = await privateTmux();
  const spec = await specOf(tmux);
  const { worker, lost } = start({ libcPath: "/nowhere/libc.so" });
  const { failed } = begin(worker, "w0", { spec });
  const { code, message } = await failed;
  assertEquals(code, "unsupported");
  assert(message.includes('Cannot load the C library "/nowhere/libc.so"'), message);
  await lost;
});

Deno.test("a worker without a pulse is given up: its follows are internal, its clients ended", async () => {
  await using tmux = await privateTmux();
  const { worker, lost, ended } = start({ entry: new URL("blocked_worker.ts", import.meta.url) });
  // One that has yet to load is given more time.
  await until(() => worker.clients.length > 0);
  for (let i = 0; i < 10; i++) worker.checkPulse();
  const { failed } = begin(worker, "w0", { spec: await specOf(tmux) });
  for (let i = 0; i < 3; i++) worker.checkPulse();
  assertEquals(worker.load, 1);
  worker.checkPulse();
  assertEquals(worker.load, 0);
  const { code, message } = await failed;
  assertEquals([code, message], ["internal", "The watch worker stopped responding"]);
  await lost;
  assertEquals(ended, [4242]);
  await assertRejects(() => worker.report("w0"), AppError, "has ended");
});

Deno.test("a worker with a follow has a pulse", async () => {
  await using tmux = await privateTmux();
  const pulse = new Int32Array(new SharedArrayBuffer(4));
  const libcPath = findLibcPath();
  const worker = new Worker(new URL("../../workers/watch_worker.ts", import.meta.url), { type: "module" });
  worker.onmessage = () => {};
  const post = (message: HostMessage): void => worker.postMessage([message]);
  post({ kind: "setup", libcPath, pulse: pulse.buffer });
  post({ kind: "start", watchId: "w0", spec: await specOf(tmux) });
  const beats = await settle(() => Atomics.load(pulse, 0), (count) => count >= 2);
  worker.terminate();
  assert(beats >= 2, `${beats} beats`);
});

/** Says when a worker sleeps that waits for a certain process, and when it is woken for that. */
class HeardVigil extends WakeScheduler {
  readonly seen: string[] = [];
  readonly #pid: number;
  readonly #asleep = Promise.withResolvers<void>();
  readonly asleep: Promise<void> = this.#asleep.promise;

  constructor(libc: Libc, pid: number) {
    super(libc);
    this.#pid = pid;
  }

  override sleep(...[sleeper, awaited, wake]: Parameters<WakeScheduler["sleep"]>): void {
    if (awaited.some(({ pid }) => pid === this.#pid)) this.#asleep.resolve();
    super.sleep(sleeper, awaited, () => {
      this.seen.push("woken");
      wake();
    });
  }
}

Deno.test({
  name: "a program that begins to wait without a word is found though its worker sleeps",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using tmux = await privateTmux();
    await new Deno.Command("mkfifo", { args: [`${tmux.folder}/go`] }).output();
    const script = `read a <'${tmux.folder}/go'; read b`;
    await createProcessExec(tmux.target)([["respawn-pane", "-k", "-t", "=main:", `exec sh -c "${script}"`]]);
    const spec = await specOf(tmux);
    const libc = openSystemLibc();
    const wakeScheduler = new HeardVigil(libc, spec.panes[0]!.panePid);
    const { worker } = start({ wakeScheduler });
    try {
      const event = Promise.withResolvers<void>();
      const triggers: FollowSpec["triggers"] = [{ kind: "user_input", event: "user_input" }];
      const { failed } = begin(worker, "w0", {
        spec: { ...spec, triggers },
        handlers: {
          event: (message) => {
            wakeScheduler.seen.push(message.event);
            event.resolve();
          },
        },
      });
      failed.then(event.reject);
      await Promise.race([wakeScheduler.asleep, event.promise]);
      await Deno.writeTextFile(`${tmux.folder}/go`, "go\n");
      await event.promise;
      assertEquals(wakeScheduler.seen.slice(-2), ["woken", "user_input"]);
    } finally {
      await worker.end();
      libc.unload();
    }
  },
});
