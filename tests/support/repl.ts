// A program in a pane, and the tool run-in-repl on it.
import { assertEquals } from "@std/assert";
import type { Served } from "./one_server.ts";
import { type TestClient, World } from "./world.ts";

export interface Repl {
  world: World;
  client: TestClient;
  paneId: string;
  run(input: string, more?: Record<string, unknown>): Promise<Record<string, unknown>>;
}

export const PYTHON = "python3 -q";

/** Runs a test with a server of its own. */
export async function inRepl(
  command: string,
  test: (repl: Repl) => Promise<void>,
  args: readonly string[] = [],
): Promise<void> {
  await using world = await World.create();
  const client = await world.serve({ args });
  await client.ok("create-session", { name: "stays" });
  await inReplOf({ world, client }, command, test);
}

/** Runs a test on a server that others use too. */
export async function inReplOf(
  { world, client }: Served,
  command: string,
  test: (repl: Repl) => Promise<void>,
): Promise<void> {
  const { paneId } = await client.ok("create-session", { command, width: 80, height: 24 });
  const ready = await client.ok("watch-pane", { paneId, triggers: "user_input,exit", timeout: 20 });
  assertEquals(ready.event, "user_input");
  await test({
    world,
    client,
    paneId,
    async run(input, more = {}) {
      const { paneId: _, ...answer } = await client.ok("run-in-repl", { paneId, input, ...more });
      return answer;
    },
  });
}
