// A command that prints far more than memory should hold: its output is complete, and kept on disk.
import { assert, assertEquals } from "@std/assert";
import { ShellPane } from "../support/shell_pane.ts";
import { residentMegabytes } from "../support/memory.ts";

const LINES = 6_000_000;
const TEXT = "0123456789012345678901234567890123456789";
/** Memory limit of this server; one command prints 300 MB. */
const MAX_MB = 400;

Deno.test("three commands that print 300 MB each are whole, and their output is not in memory", async () => {
  await using pane = await ShellPane.open();
  const path = `${pane.world.folder}/large`;
  await pane.run(`seq -f '%08.0f ${TEXT}' 1 ${LINES} > ${path}`);
  for (let round = 0; round < 3; round++) {
    const { commandId } = await pane.run(`cat ${path}`, { background: true });
    const done = await pane.client.ok("get-command-result", { commandId, waitSeconds: 110 });
    assertEquals([done.status, done.exitCode, done.totalLines], ["completed", 0, LINES]);
    assert(done.output.endsWith(`0${LINES} ${TEXT}`));
    const used = await residentMegabytes(pane.client.transport.pid ?? 0);
    assert(used < MAX_MB, `${used} MB after round ${round}`);
  }
});
