// A `cat` and a `tee` that don't copy a pane as GNU's do, with GNU's beside them under other names.
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { filesLike } from "../support/record_files.ts";
import { until } from "../support/until.ts";
import { Watching } from "../support/watching.ts";
import { World } from "../support/world.ts";

/** Creates a world whose PATH begins with this script as the program, and with GNU's. */
async function worldWith(program: string, script: string): Promise<World> {
  const world = await World.create();
  const bin = join(world.folder, "bin");
  await Deno.mkdir(bin);
  await Deno.writeTextFile(join(bin, program), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  await Deno.symlink(`/usr/bin/${program}`, join(bin, `gnu${program}`));
  world.env["PATH"] = `${bin}:${world.env["PATH"]}`;
  return world;
}

/** Faults of uutils' `tee`, with a program that has them. */
const TEES = {
  "ends after its first read, as 0.8.0": 'dd bs=8192 count=1 2>/dev/null | /usr/bin/tee "$@"',
  "ends with its reader, as 0.5.0": 'exec env --default-signal=PIPE /usr/bin/tee "$@"',
};

for (const [name, script] of Object.entries(TEES)) {
  Deno.test(`a command without a server loses no line to a tee that ${name}`, async () => {
    await using world = await worldWith("tee", script);
    // No pipe outlives its server there.
    if (!await world.attaches()) return;
    const gate = join(world.folder, "gate");
    const first = await world.serve();
    const { paneId } = await first.ok("create-session", {});
    const command = `echo begun; until [ -e ${gate} ]; do sleep 0.05; done; seq 1 9000`;
    const { commandId } = await first.ok("execute-command", { paneId, command, background: true });
    await until(async () => {
      const records = await filesLike(world, /\.json$/);
      const texts = await Promise.all(records.map((path) => Deno.readTextFile(path)));
      return texts.some((text) => text.includes('"piece":1'));
    });
    // It reads what the pipe copies.
    const second = await world.serve({ args: ["--attach=false"] });
    await second.ok("watch-pane", { paneId, triggers: "exit", background: true });
    await first.kill();
    await Deno.writeTextFile(gate, "");
    await until(async () => (await world.tmux("capture-pane", "-p", "-t", paneId)).includes("\n9000\n"));
    const { status, totalLines } = await second.commandResult(commandId);
    assertEquals([status, totalLines], ["completed", 9001]);
  });
}

Deno.test("a watch through a pipe hears at once of a line that a cat has spliced, as 0.8.0", async () => {
  const script = "exec python3 -c 'import os\nwhile os.splice(0, 1, 1 << 20): pass'";
  await using world = await worldWith("cat", script);
  const watching = new Watching(world, await world.serve({ args: ["--attach=false"] }));
  const run = await watching.watchRun("echo one; exec sleep 600", { triggers: "pattern:^one$", timeout: 60 });
  assertEquals(run.event, "pattern:^one$");
});
