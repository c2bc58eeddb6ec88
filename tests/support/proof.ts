// Proves that a way to start the server works, with a client over stdio: a watch in its worker, a picture
// with its fonts, the live view's page, the command parser. As a program: scripts/prove COMMAND ARGUMENTS…
import { assert, assertEquals } from "@std/assert";
import { VERSION } from "../../src/version.ts";
import { type ServeOptions, World } from "./world.ts";

/** Folder in which this process's Deno keeps its packages. */
export async function findDenoDir(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}

/** Exercises a server on the world's tmux. */
export async function proveServer(world: World, options: ServeOptions & { command: string }): Promise<void> {
  const client = await world.serve(options);
  assertEquals(client.client.getServerVersion()?.version, VERSION);
  const { socket } = world;
  const command = "echo one$((1 + 1))three; exec cat";
  const started = await client.ok("start-and-watch", { command, pattern: "one2three", socket });
  assertEquals(started.event, "pattern:one2three", JSON.stringify(started));
  const unfinished = await client.fails("start-and-watch", { command: "echo 'begun", socket });
  assertEquals(unfinished.code, "incomplete-command", JSON.stringify(unfinished));
  const { cursor } = await client.ok("watch-events");
  const { watchId } = await client.ok("watch-pane", {
    ...{ paneId: started.paneId, triggers: "exit", background: true, socket },
  });
  const { content } = await client.call("screenshot-pane", { paneId: started.paneId, socket });
  const picture = content.find(({ type }) => type === "image");
  assert(atob(picture?.data ?? "").startsWith("\x89PNG"), JSON.stringify(content));
  const { contents } = await client.client.readResource({ uri: "ui://tmux-mcp/pane" });
  const page = contents[0] as { text: string };
  assert(page.text.length > 400_000 && !page.text.includes("/* {{"), page.text.slice(0, 1000));
  await client.ok("send-keys", { paneId: started.paneId, keys: "C-d", literal: false, socket });
  const { events } = await client.ok("watch-events", { cursor, waitSeconds: 30 });
  assertEquals([events[0]?.watchId, events[0]?.event], [watchId, "exit"], JSON.stringify(events));
}

if (import.meta.main) {
  const [command = "", ...args] = Deno.args;
  await using world = await World.create();
  await proveServer(world, { command, args });
  Deno.stdout.writeSync(new TextEncoder().encode(`${command} works\n`));
}
