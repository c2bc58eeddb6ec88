import { assertEquals } from "@std/assert";
import { descriptorsOf } from "../support/descriptors.ts";
import { Watching } from "../support/watching.ts";
import { World } from "../support/world.ts";

/** Outputs that a server keeps on disk: the files are removed and open. */
async function openOutputs(pid: number): Promise<number> {
  return (await descriptorsOf(pid)).filter((target) => /\/tmux-mcp-.* \(deleted\)$/.test(target)).length;
}

Deno.test("finished commands beyond those kept are let go of when the next one is run, asked for or not", async () => {
  await using world = await World.create();
  const client = await world.serve({ args: ["--max-output-bytes=1", "--completed-max-entries=2"] });
  const paneId = await new Watching(world, client).shellPane();
  const ids: string[] = [];
  for (let count = 1; count <= 5; count++) {
    ids.push((await client.ok("execute-command", { paneId, command: `echo ${count}` })).commandId);
  }
  assertEquals(await openOutputs(client.transport.pid ?? 0), 3);
  assertEquals((await client.fails("get-command-result", { commandId: ids[0] })).code, "not-found");
  assertEquals((await client.ok("get-command-result", { commandId: ids[4] })).output, "5");
});
