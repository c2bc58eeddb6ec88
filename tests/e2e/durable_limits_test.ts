// Pipes that copy a command's output for a later server, at the size their file may have.
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { until } from "../support/until.ts";
import { World } from "../support/world.ts";

const MAX_BYTES = 262_144;
/** One command's file may take a quarter of all, and all once a later server copies on. */
const FIRST_LIMIT = MAX_BYTES / 4;

/** Path of a file beside the record of a command. */
async function fileOf(world: World, commandId: string, suffix: string): Promise<string> {
  const root = join(world.folder, ".local/state/tmux-mcp");
  const [, name, token, key] = /^(c\d+)-(\w+)-(\d+-\d+)$/.exec(commandId)!;
  for await (const entry of Deno.readDir(join(root, key!, token!))) {
    if (entry.name.startsWith(name!) && entry.name.endsWith(suffix)) {
      return join(root, key!, token!, entry.name);
    }
  }
  throw new Error(`No ${suffix} of ${commandId}`);
}

const sizeOf = async (path: string): Promise<number> => (await Deno.stat(path)).size;

for (const shell of ["with an exit status", "without one"]) {
  Deno.test(`a command whose output was too large for its file ends for a later server, ${shell}`, async () => {
    await using world = await World.create();
    // No pipe copies to a file there while its server lives.
    if (!await world.attaches()) return;
    const args = ["--durable-max-bytes", `${MAX_BYTES}`];
    const first = await world.serve({ args });
    const { paneId } = await first.ok("create-session", { command: "bash --norc" });
    await until(async () => (await first.ok("pane-state", { paneId })).waitingForInput);
    const end = join(world.folder, "end");
    const isKnown = shell === "with an exit status";
    // A restricted shell redirects nothing, as the one in a container can't write there.
    const restrict = isKnown ? "" : "set -r; ";
    const command = `${restrict}until [ -e ${end} ]; do seq 1 5000; sleep 0.02; done; (exit 6)`;
    const { commandId } = await first.ok("execute-command", { paneId, command, background: true });
    const size = async (): Promise<number> => await sizeOf(await fileOf(world, commandId, ".1"));
    await until(async () => await size().catch(() => 0) >= FIRST_LIMIT);
    const spool = await fileOf(world, commandId, ".1");
    await first.kill();
    const second = await world.serve({ args });
    assertEquals((await second.ok("get-command-result", { commandId })).status, "running");
    await until(async () => await sizeOf(spool) > FIRST_LIMIT);
    if (!isKnown) await until(async () => await sizeOf(spool) >= MAX_BYTES);
    await Deno.writeTextFile(end, "");
    const read = { commandId, waitSeconds: 20, onInput: "wait", fold: false };
    const result = await second.ok("get-command-result", read);
    assertEquals([result.status, result.exitCode], isKnown ? ["completed", 6] : ["lost", undefined]);
    assertEquals(result.outputTruncated, true);
    const isPiped = () => world.tmux("display-message", "-p", "-t", paneId, "#{pane_pipe}");
    await until(async () => (await isPiped()).trim() === "0");
  });
}

Deno.test("a command that ends with more output than its file may have keeps its record", async () => {
  await using world = await World.create();
  const args = ["--durable-max-bytes", `${MAX_BYTES}`];
  const first = await world.serve({ args });
  const { paneId } = await first.ok("create-session", { command: "bash --norc" });
  await until(async () => (await first.ok("pane-state", { paneId })).waitingForInput);
  const command = "seq 1 200000; (exit 6)";
  const { commandId } = await first.ok("execute-command", { paneId, command, timeout: 30 });
  await first.kill();
  assertEquals(first.stderr, "");
  const result = await (await world.serve({ args })).ok("get-command-result", { commandId });
  assertEquals([result.status, result.exitCode, result.outputTruncated], ["completed", 6, true]);
});
