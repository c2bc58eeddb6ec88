// A disk that is full: a command's output stays whole, a recording says where it ends, and calls are answered.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Watching } from "../support/watching.ts";
import { World } from "../support/world.ts";

/** A folder on a disk of its own with 64 KB; undefined where this user may not mount one. */
async function smallDisk(world: World): Promise<(AsyncDisposable & { path: string }) | undefined> {
  const path = `${world.folder}/small`;
  await Deno.mkdir(path);
  const run = (command: string, args: string[]): Promise<Deno.CommandOutput> =>
    new Deno.Command(command, { args, stdout: "null", stderr: "null" }).output();
  const mounted = await run("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", path]).catch(() => undefined);
  if (!mounted?.success) return undefined;
  return {
    path,
    async [Symbol.asyncDispose](): Promise<void> {
      await run("umount", ["-l", path]);
    },
  };
}

Deno.test("disk full: a command's output is whole, kept in memory where the disk takes no more", async () => {
  await using world = await World.create();
  await using disk = await smallDisk(world);
  if (!disk) return;
  const client = await world.serve({ args: ["--max-output-bytes", "100000"], env: { TMPDIR: disk.path } });
  const paneId = await new Watching(world, client).shellPane();
  const { commandId, totalLines, exitCode } = await client.ok("execute-command", {
    paneId,
    command: "seq 1 200000",
  });
  assertEquals([exitCode, totalLines], [0, 200_000]);
  const { output } = await client.ok("get-command-result", { commandId, offset: 150_000, maxLines: 3 });
  assertEquals(output, "150001\n150002\n150003");
});

Deno.test("disk full: a recording stops and says so; the pane and other calls do not suffer", async () => {
  await using world = await World.create();
  await using disk = await smallDisk(world);
  if (!disk) return;
  const client = await world.serve();
  const paneId = await new Watching(world, client).shellPane();
  const outputPath = `${disk.path}/rec.cast`;
  await client.ok("record-pane", { paneId, action: "start", outputPath });
  assertEquals((await client.ok("execute-command", { paneId, command: "seq 1 50000" })).totalLines, 50_000);
  const { code, text, hint } = await client.fails("record-pane", { paneId, action: "stop" });
  assertEquals(code, "gone");
  assertMatch(text, /ended early: No space left/);
  assertStringIncludes(hint ?? "", outputPath);
  assert((await Deno.stat(outputPath)).size <= 65536);
});
