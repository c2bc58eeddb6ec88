// What a program prints as it ends is not lost, and its pane is left as its owner wants it.
import { assertEquals, assertMatch } from "@std/assert";
import { readResult, Watching } from "../support/watching.ts";
import { World } from "../support/world.ts";

/** Without a hold tmux 3.3a loses some of every fourth. */
const ROUNDS = 12;
const BURST = "seq 1 20; echo the end; exit 7";
const END = /(^|\n)20\nthe end$/;

async function options(world: World, paneId: string): Promise<string> {
  return await world.tmux("show-options", "-p", "-t", paneId);
}

async function panes(world: World): Promise<string[]> {
  return (await world.tmux("list-panes", "-a", "-F", "#{pane_id}")).trim().split("\n");
}

Deno.test("a watch tells the last words of a program whose pane goes with it", async () => {
  await using world = await World.create();
  const watching = new Watching(world, await world.serve());
  const keep = await watching.pane("cat");
  for (let round = 0; round < ROUNDS; round++) {
    const result = await watching.watchRun(BURST, { triggers: "exit" });
    assertMatch(result.output, END);
    assertEquals([result.event, result.exitCode], ["exit", 7]);
    assertEquals(await panes(world), [keep]);
  }
});

Deno.test("a pattern in a program's last words fires", async () => {
  await using world = await World.create();
  const watching = new Watching(world, await world.serve());
  await watching.pane("cat");
  for (let round = 0; round < ROUNDS; round++) {
    const { event, output } = await watching.watchRun(BURST, { triggers: "pattern:^the end$,exit" });
    assertEquals(event, "pattern:^the end$");
    assertMatch(output, END);
  }
});

Deno.test("a recording and two watches of one pane all have the last words", async () => {
  await using world = await World.create();
  const client = await world.serve();
  const watching = new Watching(world, client);
  const keep = await watching.pane("cat");
  const paneId = await watching.waitingPane(BURST);
  const outputPath = `${world.folder}/end.cast`;
  await client.ok("record-pane", { paneId, action: "start", outputPath });
  const first = await watching.watch({ paneId, triggers: "exit" });
  const second = await watching.watch({ paneId, triggers: "exit" });
  await watching.go(paneId);
  for (const { result } of [first, second]) assertMatch(readResult(await result).output, END);
  await watching.until(async () => (await panes(world)).join() === keep);
  await client.ok("record-pane", { paneId, action: "stop" });
  assertMatch(await Deno.readTextFile(outputPath), /the end/);
});

Deno.test("a watch leaves a pane's options as they were, and a pane that is to stay alone", async () => {
  await using world = await World.create();
  const client = await world.serve();
  const watching = new Watching(world, client);
  const paneId = await watching.waitingPane(BURST);
  await client.ok("watch-pane", { paneId, triggers: "idle:0.2", timeout: 5 });
  assertEquals(await options(world, paneId), "");
  await world.tmux("set-option", "-p", "-t", paneId, "remain-on-exit", "on");
  const { result } = await watching.watch({ paneId, triggers: "exit" });
  assertEquals((await options(world, paneId)).trim(), "remain-on-exit on");
  await watching.go(paneId);
  assertEquals(readResult(await result).exitCode, 7);
  assertEquals(await panes(world), [paneId]);
  assertEquals((await world.tmux("display-message", "-p", "-t", paneId, "#{pane_dead}")).trim(), "1");
});

Deno.test("a server that ends lets go of the panes it watched", async () => {
  await using world = await World.create();
  const client = await world.serve();
  const watching = new Watching(world, client);
  const paneId = await watching.waitingPane(BURST);
  // Nobody is told of its end: only the server itself can let go.
  await client.ok("watch-pane", { paneId, triggers: "exit", background: true });
  assertMatch(await options(world, paneId), /remain-on-exit on/);
  await client.client.close();
  await watching.until(async () => await options(world, paneId) === "");
});
