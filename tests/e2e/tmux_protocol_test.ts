// Commands and watches with tmux's own protocol switched off: every batch and client is a tmux program.
import { assertEquals, assertMatch } from "@std/assert";
import { World } from "../support/world.ts";

const CLIENT_NAMES = ["list-clients", "-F", "#{client_name}"];

async function followedBy(...args: string[]): Promise<{ names: string; attaches: boolean }> {
  await using world = await World.create();
  const client = await world.serve({ args });
  const { paneId } = await client.ok("create-session", { name: "work" });
  const result = await client.ok("execute-command", { paneId, command: "echo one; (exit 3)" });
  assertEquals([result.exitCode, result.output.trim()], [3, "one"]);
  await client.ok("watch-pane", {
    paneId,
    triggers: ["pattern:r[e]ady"],
    background: true,
  });
  const names = await world.tmux(...CLIENT_NAMES);
  await client.ok("paste-text", { paneId, text: "echo re''ady", enter: true });
  const { events } = await client.ok("watch-events", { waitSeconds: 20 });
  assertEquals(events[0]?.event, "pattern:r[e]ady");
  return { names, attaches: await world.isTmux(3, 3) };
}

Deno.test("with tmux's own protocol the server attaches as a client of its own", async () => {
  const { names, attaches } = await followedBy("--tmux-protocol=true");
  if (attaches) assertMatch(names, /^tmux-mcp\//m);
  else assertEquals(names, "");
});

Deno.test("without tmux's own protocol commands and watches work through tmux programs", async () => {
  const { names } = await followedBy("--tmux-protocol=false");
  assertEquals(/^tmux-mcp\//m.test(names), false, names);
});
