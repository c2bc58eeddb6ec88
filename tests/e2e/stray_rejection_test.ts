// A promise that rejects while nobody waits for it: a slip in our own code, of which only the calls it belongs to may suffer.
import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { findDenoDir } from "../support/proof.ts";
import { until } from "../support/until.ts";
import { World } from "../support/world.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const SLIP = `Deno.addSignalListener("SIGUSR1", () => void Promise.reject(new Error("nobody waits")));`;

Deno.test("the server reports a rejection that no call waits for on stderr, and continues with its watches", async () => {
  await using world = await World.create();
  const slip = join(world.folder, "slip.ts");
  await Deno.writeTextFile(slip, SLIP);
  const client = await world.serve({
    command: Deno.execPath(),
    args: [
      ...["run", "--quiet", "--cached-only", "--frozen", "-A", "--preload", slip],
      ...["main.ts", "--socket", world.socket],
    ],
    env: { DENO_DIR: await findDenoDir() },
    cwd: ROOT,
  });
  const { paneId } = await client.ok("create-session", { command: "cat" });
  const { watchId } = await client.ok("watch-pane", { paneId, triggers: "pattern:later", background: true });
  const { cursor } = await client.ok("watch-events");
  Deno.kill(client.transport.pid!, "SIGUSR1");
  await until(() => client.stderr.includes("nobody waits"));
  assertMatch(client.stderr, /^tmux-mcp: an error outside of any call: Error: nobody waits\n +at /m);
  await client.ok("send-keys", { paneId, keys: "later", enter: true });
  const { events } = await client.ok("watch-events", { cursor, waitSeconds: 20 });
  assertEquals([events[0]?.watchId, events[0]?.event], [watchId, "pattern:later"], JSON.stringify(events));
});
