// A disk that is full, and files that may not grow: outputs and recordings say what they lost, and calls are answered.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { prlimit } from "../support/prlimit.ts";
import { Watching } from "../support/watching.ts";
import { type TestClient, World } from "../support/world.ts";

/** A folder on a disk of its own with 64 KB; undefined where this user may not mount one. */
async function smallDisk(world: World): Promise<(AsyncDisposable & { path: string }) | undefined> {
  const path = `${world.folder}/${crypto.randomUUID()}`;
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

const test = inTurnOnOneServer("disk full");

/** Long lines: 1.3 MB with fewer of what each line costs. */
const WIDTH = 78;
const LINES = 16_000;

function line(number: number): string {
  return `${number}`.padStart(WIDTH, "0");
}

/** More than comes at once, so that there is room for the beginning. */
const MEMORY_BYTES = 500_000;

/** All that is kept of a command's output, read page by page. */
async function readKept(client: TestClient, commandId: string): Promise<string> {
  const pages: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const page: { output: string; totalLines: number; outputTruncated: boolean; nextOffset?: number } =
      await client.ok("get-command-result", { commandId, offset, maxLines: LINES, maxBytes: 1e7 });
    assertEquals([page.totalLines, page.outputTruncated], [LINES, true]);
    pages.push(page.output);
    offset = page.nextOffset;
  }
  return pages.join("\n");
}

/** Both ends of a command's output are there, and the answers say which lines neither memory nor disk could take. */
async function checkLoss(client: TestClient, paneId: string): Promise<void> {
  const { commandId, output, ...answer } = await client.ok("execute-command", {
    paneId,
    command: `seq -f %0${WIDTH}.0f ${LINES}`,
  });
  assertEquals([answer.exitCode, answer.totalLines, answer.outputTruncated], [0, LINES, true]);
  assert(output.startsWith(`${line(1)}\n${line(2)}\n`));
  assert(output.endsWith(`\n${line(LINES - 1)}\n${line(LINES)}`));
  const kept = await readKept(client, commandId);
  const [, head, lost, tail] = /\n(\d+)\n\[(\d+) lines are lost here: .*\]\n(\d+)\n/.exec(kept)!
    .map(Number);
  assertEquals(head! + lost! + 1, tail);
  assert(kept.length < 2 * MEMORY_BYTES, `${kept.length} bytes are held`);
}

/** The recording fits into its 64 KB, and can be played: each of its lines is whole. */
async function checkCast(path: string): Promise<void> {
  const cast = await Deno.readTextFile(path);
  assert(cast.length > 0 && cast.length <= 64 * 1024, `${cast.length}`);
  assertEquals(cast.split("\n").at(-1), "");
  for (const line of cast.trimEnd().split("\n")) JSON.parse(line);
}

Deno.test("disk full: a command's output loses its middle and says so", async () => {
  await using world = await World.create();
  await using disk = await smallDisk(world);
  if (!disk) return;
  const client = await world.serve({
    args: ["--max-output-bytes", `${MEMORY_BYTES}`],
    env: { TMPDIR: disk.path },
  });
  await checkLoss(client, await new Watching(world, client).shellPane());
});

Deno.test({
  name:
    "RLIMIT_FSIZE: the server lives on, loses what files can't take, and says so; no buffer that one can't take is said to be saved",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using world = await World.create();
    const client = await world.serve({ args: ["--max-output-bytes", `${MEMORY_BYTES}`] });
    const paneId = await new Watching(world, client).shellPane();
    const outputPath = `${world.folder}/rec.cast`;
    await client.ok("record-pane", { paneId, action: "start", outputPath });
    await prlimit(client, `--fsize=${64 * 1024}`);
    await checkLoss(client, paneId);
    const { text } = await client.fails("record-pane", { paneId, action: "stop" });
    assertMatch(text, /ended early: File too large/);
    await checkCast(outputPath);

    await client.ok("set-buffer", { name: "b", content: "x".repeat(100_000) });
    const unsaved = await client.fails("save-buffer", { name: "b", path: `${world.folder}/b` });
    assertEquals(unsaved.code, "tmux-error");
    assertMatch(unsaved.text, /65536 of 100000 bytes/);
  },
});

Deno.test({
  name: "RLIMIT_FSIZE: the audit line after one that was cut off has a line of its own",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using world = await World.create();
    const log = `${world.folder}/audit`;
    const client = await world.serve({ args: ["--audit-path", log] });
    await client.ok("list-sessions");
    const { size } = await Deno.stat(log);
    await prlimit(client, `--fsize=${size + 20}:`);
    await client.ok("list-sessions");
    await prlimit(client, "--fsize=unlimited:");
    await client.ok("list-windows");
    const [whole, cut, last = ""] = (await Deno.readTextFile(log)).split("\n");
    assertEquals([whole!.length, cut!.length], [size - 1, 20]);
    assertEquals(JSON.parse(last).tool, "list-windows");
  },
});

test("a recording stops and says so; the pane and other calls do not suffer", async ({ world, client }) => {
  await using disk = await smallDisk(world);
  if (!disk) return;
  const paneId = await new Watching(world, client).shellPane();
  const outputPath = `${disk.path}/rec.cast`;
  await client.ok("record-pane", { paneId, action: "start", outputPath });
  const { totalLines } = await client.ok("execute-command", { paneId, command: `seq -f %0${WIDTH}.0f 2000` });
  assertEquals(totalLines, 2000);
  const { code, text, hint } = await client.fails("record-pane", { paneId, action: "stop" });
  assertEquals(code, "gone");
  assertMatch(text, /ended early: No space left/);
  assertStringIncludes(hint ?? "", outputPath);
  await checkCast(outputPath);
});

test("a picture and a recording that can't be written are errors with a next step, not cut files", async ({ world, client }) => {
  await using disk = await smallDisk(world);
  if (!disk) return;
  const paneId = await new Watching(world, client).shellPane();
  const path = `${disk.path}/old.svg`;
  await Deno.writeTextFile(path, "");
  await Deno.writeFile(`${disk.path}/fill`, new Uint8Array(64 * 1024)).catch(() => {});
  await client.ok("execute-command", { paneId, command: "seq 1 500 | paste -s -d ' '" });
  const shown = { paneId, output: "file" };
  for (const output of ["new.svg", "new.png", "new.html", "old.svg"]) {
    const refused = await client.fails("screenshot-pane", { ...shown, path: `${disk.path}/${output}` });
    assertEquals(refused.code, "invalid-argument");
    assertMatch(refused.text, /Cannot write ".*": No space left/);
    assertMatch(refused.hint ?? "", /Free space/);
  }
  const left = (await Array.fromAsync(Deno.readDir(disk.path))).map(({ name }) => name);
  assertEquals(left.toSorted(), ["fill", "old.svg"]);
  assertEquals((await Deno.stat(path)).size, 0);
  const outputPath = `${disk.path}/rec.cast`;
  const unrecorded = await client.fails("record-pane", { paneId, action: "start", outputPath });
  assertEquals(unrecorded.code, "gone");
  assertMatch(unrecorded.text, /ended early: No space left/);
  assertEquals((await client.fails("record-pane", { paneId, action: "stop" })).code, "not-found");
});
