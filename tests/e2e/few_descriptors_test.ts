// A server that may open few files: it says so in time, and takes nothing it could not look at for an end.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { prlimit } from "../support/prlimit.ts";
import { Watching } from "../support/watching.ts";
import { World } from "../support/world.ts";

const LAUNCHER = fromFileUrl(new URL("../../scripts/tmux-mcp", import.meta.url));

Deno.test("with few descriptors watches stop being started, and those that go on see no end", async () => {
  await using world = await World.create();
  const started = `ulimit -n 128; exec '${LAUNCHER}' --socket '${world.socket}' --scope all`;
  const client = await world.serve({ command: "bash", args: ["-c", started] });
  const watching = new Watching(world, client);
  const panes: string[] = [];
  for (let count = 0; count < 24; count++) panes.push(await watching.pane("exec sleep 1000"));
  let refused: { code: string; text: string } | undefined;
  for (const paneId of panes) {
    const answer = await client.call("watch-pane", { paneId, triggers: "exit", background: true });
    if (!answer.isError) continue;
    refused = { code: answer._meta!["tmux-mcp/error"]!.code, text: answer.content[0]!.text! };
    break;
  }
  assertEquals(refused?.code, "busy");
  assertMatch(refused!.text, /no file descriptor left.*ulimit -n/s);
  const going = (await watching.active()).length;
  assert(going > 4, `${going} watches continue`);

  const many = panes.map((paneId) => client.call("watch-pane", { paneId, triggers: "exit", timeout: 1 }));
  for (const { isError, _meta, structuredContent } of await Promise.all(many)) {
    if (isError) assertEquals(_meta!["tmux-mcp/error"]!.code, "busy");
    else assertEquals(structuredContent.event, "timeout");
  }
  assertEquals((await watching.active()).length, going);
  assertEquals((await client.ok("pane-state", { paneId: panes[0] })).isAlive, true);
});

Deno.test("with as few descriptors as there may be, a burst of calls is answered, with the reason where it failed", async () => {
  await using world = await World.create();
  const started = `ulimit -n 64; exec '${LAUNCHER}' --socket '${world.socket}' --scope all`;
  const client = await world.serve({ command: "bash", args: ["-c", started] });
  const watching = new Watching(world, client);
  const panes = await Promise.all(
    ["a", "b", "c", "d"].map((name) => watching.pane("exec bash --norc", name)),
  );
  const kinds: Record<string, Record<string, unknown>> = {
    "capture-pane": {},
    "execute-command": { command: "true" },
    "watch-pane": { triggers: "exit", timeout: 1 },
    "pane-state": {},
    "screenshot-pane": {},
  };
  const names = Object.keys(kinds);
  const calls = Array.from({ length: 120 }, async (_, at) => {
    const name = names[at % names.length]!;
    const { isError, _meta } = await client.call(name, { paneId: panes[at % panes.length], ...kinds[name] });
    return isError ? `${name}: ${_meta?.["tmux-mcp/error"]?.code}` : "ok";
  });
  for (const outcome of await Promise.all(calls)) assertMatch(outcome, /^ok$|: busy$/);
  assertEquals((await client.ok("pane-state", { paneId: panes[0] })).isAlive, true);
});

Deno.test({
  name: "a watch that reads a pane's pipe outlives a time without a descriptor",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using world = await World.create();
    const client = await world.serve({ args: ["--attach=false"] });
    const watching = new Watching(world, client);
    const paneId = await watching.pane("exec cat");
    const watch = { paneId, triggers: "pattern:^more$", background: true };
    const { watchId } = await client.ok("watch-pane", watch);
    await prlimit(client, "--nofile=3:");
    // Every two seconds the pipe's reader looks whether the pipe is still there.
    assertEquals((await client.ok("watch-events", { waitSeconds: 3 })).events, []);
    await prlimit(client, "--nofile=1024:");
    await watching.type(paneId, "more");
    const [{ event, ...rest }] = (await client.ok("watch-events", { waitSeconds: 20 })).events;
    assertEquals([rest.watchId, event], [watchId, "pattern:^more$"]);
  },
});
