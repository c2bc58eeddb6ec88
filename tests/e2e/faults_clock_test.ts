// The clock on the wall jumps by hours, as when a machine wakes or is set right: running waits neither end nor hang.
import { assert, assertEquals } from "@std/assert";
import { readResult, Watching } from "../support/watching.ts";
import { type TestClient, World } from "../support/world.ts";

const HOUR = 3600;

/** A clock for one server, moved while that runs. */
class Clock implements AsyncDisposable {
  /** The server's. */
  pid: number | null = null;
  readonly #path: string;

  constructor(world: World) {
    this.#path = `${world.folder}/clock`;
  }

  async set(seconds: number): Promise<void> {
    const sign = seconds < 0 ? "-" : "+";
    await Deno.writeTextFile(`${this.#path}.new`, `${sign}${Math.abs(seconds)}\n`);
    await Deno.rename(`${this.#path}.new`, this.#path);
  }

  /** Variables that make a process use it, except for `performance.now()` and timers: the kernel's don't jump either. */
  async environment(): Promise<Record<string, string>> {
    const faketime = ["-m", "2020-01-01", "sh", "-c", "echo $LD_PRELOAD"];
    const { stdout } = await new Deno.Command("faketime", { args: faketime }).output();
    return {
      LD_PRELOAD: new TextDecoder().decode(stdout).trim(),
      FAKETIME_TIMESTAMP_FILE: this.#path,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    };
  }

  /** The library does not tidy up after a program that ends without its help. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of ["faketime_shm", "sem.faketime_sem"]) {
      await Deno.remove(`/dev/shm/${name}_${this.pid}`).catch(() => {});
    }
  }
}

/** Outcome of each kind of call that lasts when the clock jumps meanwhile. */
async function jumpDuring(watching: Watching, clock: Clock, { to, panes: [shell = "", cat = ""] }: {
  to: number;
  panes: string[];
}): Promise<void> {
  const { client } = watching;
  const word = `word${to}`;
  const command = client.call("execute-command", {
    paneId: shell,
    command: "read x; echo got $x",
    onInput: "wait",
    timeout: 900,
  });
  await watching.until(async () => (await client.ok("pane-state", { paneId: shell })).inputKind === "line");
  const { result } = await watching.watch({
    paneId: cat,
    triggers: `idle:900,pattern:^${word}$`,
    timeout: 900,
  });
  await clock.set(to);
  await shortWaits(client, cat);
  await watching.type(cat, word);
  const { event, elapsed } = readResult(await result);
  assertEquals(event, `pattern:^${word}$`);
  assert(elapsed >= 0 && elapsed < 900, `elapsed ${elapsed}`);
  await watching.type(shell, word);
  const { status, output, elapsed: lasted } = readResult(await command);
  assertEquals([status, output], ["completed", `${word}\ngot ${word}`]);
  assert(lasted >= 0 && lasted < 900, `elapsed ${lasted}`);
}

/** Calls that a clock that went back would hold up for hours. */
async function shortWaits(client: TestClient, paneId: string): Promise<void> {
  assertEquals((await client.ok("watch-pane", { paneId, triggers: "bell", timeout: 0.1 })).event, "timeout");
  assertEquals(
    (await client.ok("watch-pane", { paneId, triggers: "idle:0.1", timeout: 900 })).event,
    "idle:0.1",
  );
  assertEquals((await client.ok("wait-for-channel", { channel: "no", timeout: 0.1 })).signalled, false);
}

Deno.test({
  name:
    "the clock jumps by hours, forward and back: what goes on ends by itself, nothing is forgotten or told wrong",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using world = await World.create();
    await using clock = new Clock(world);
    await clock.set(0);
    const auditPath = `${world.folder}/audit.log`;
    const client = await world.serve({
      args: ["--audit-path", auditPath],
      env: await clock.environment(),
    });
    clock.pid = client.transport.pid;
    const watching = new Watching(world, client);
    const { cursor } = await client.ok("watch-events");
    const panes = [await watching.shellPane(), await watching.pane("cat")];
    const outputPath = `${world.folder}/rec.cast`;
    await client.ok("record-pane", { paneId: panes[1], action: "start", outputPath });
    const { commandId } = await client.ok("execute-command", { paneId: panes[0], command: "echo kept" });
    for (const to of [9 * HOUR, -20 * HOUR]) await jumpDuring(watching, clock, { to, panes });
    assertEquals((await client.ok("get-command-result", { commandId })).output, "kept");
    await client.ok("record-pane", { paneId: panes[1], action: "stop" });
    assertSteady(
      (await Deno.readTextFile(outputPath)).trim().split("\n").slice(1).map((line) => JSON.parse(line)[0]),
    );
    const { events } = await client.ok("watch-events", { cursor });
    assert(events[0].at - events.at(-1).at > 20 * HOUR, "events carry the time on the wall");
    assertSteady(events.map(({ seq }: { seq: number }) => seq));
    for (const line of (await Deno.readTextFile(auditPath)).trim().split("\n")) {
      const { durationMs } = JSON.parse(line);
      assert(durationMs >= 0 && durationMs < 900_000, line);
    }
  },
});

/** Numbers that do not fall, none of them hours away. */
function assertSteady(numbers: number[]): void {
  assert(numbers.length > 1);
  assertEquals(numbers, numbers.toSorted((a, b) => a - b));
  assert(numbers.at(-1)! - numbers[0]! < 900);
}
