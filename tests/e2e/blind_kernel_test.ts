// A kernel that does not say what programs sleep for, as gVisor's.
import { assertEquals, assertMatch } from "@std/assert";
import { serveBlind } from "../support/hidden_memory.ts";
import { World } from "../support/world.ts";

Deno.test("with a kernel that shows no sleeps, commands run in the shell that the caller names", async () => {
  await using world = await World.create();
  const client = await serveBlind(world);
  const { paneId } = await client.ok("create-session", { command: "dash -i" });
  const state = await client.ok("pane-state", { paneId });
  assertEquals([state.isAlive, state.waitingForInput, state.evidence], [true, false, "unsupported"]);
  const refused = await client.fails("execute-command", { paneId, command: "echo unnamed" });
  assertMatch(`${refused.text}${refused.hint}`, /shell/);
  const done = await client.ok("execute-command", { paneId, command: "echo ran; exit 3", shell: "dash" });
  assertEquals([done.status, done.exitCode, done.output], ["completed", 3, "ran"]);
});
