// The output of a command whose pane is resized while it runs: later lines are read at the new width.
import { assertEquals } from "@std/assert";
import { inPanesEachWay, inPanesOfOneServer } from "../support/one_server.ts";
import type { CommandAnswer, ShellPane } from "../support/shell_pane.ts";
import { until } from "../support/until.ts";

const eachWay = inPanesEachWay("a command whose pane is resized");
// Without records on disk, its output never comes through a pipe, which may be ahead of the new size.
const test = inPanesOfOneServer("a program that draws as it is resized", ["--durable=false"]);

/** A line that fits on one row only once the pane is wider. */
const LONG = "3".padStart(150, "0");

/** Resizes the pane; settles once the server knows, as a recording of it says. */
async function widen({ world, client, paneId }: ShellPane): Promise<void> {
  const outputPath = `${world.folder}/${crypto.randomUUID()}.cast`;
  await client.ok("record-pane", { paneId, action: "start", outputPath });
  await world.tmux("resize-window", "-t", paneId, "-x", "200", "-y", "40");
  await until(async () => (await Deno.readTextFile(outputPath)).includes(`"r","200x40"`));
  await client.ok("record-pane", { paneId, action: "stop" });
}

/** Runs a command that prints `ready`, then draws three times once the pane has been resized. */
async function runResized(pane: ShellPane, draw: string): Promise<CommandAnswer> {
  const { world, client, paneId } = pane;
  const go = `${world.folder}/${crypto.randomUUID()}`;
  const command =
    `echo ready; until [ -e ${go} ]; do sleep 0.02; done; for n in 1 2 3; do ${draw}; done; echo`;
  const { commandId } = await client.ok("execute-command", { paneId, command, background: true });
  await pane.untilScreen(/^ready$/m);
  await widen(pane);
  await Deno.writeTextFile(go, "");
  return await client.ok("get-command-result", { commandId, waitSeconds: 20 });
}

eachWay("a long line that is drawn again is shown as it was last", async (pane) => {
  assertEquals((await runResized(pane, "printf '\\r%0150d' $n")).output, `ready\n${LONG}`);
});

eachWay("long lines that are drawn again from above are shown as they were last", async (pane) => {
  const { output } = await runResized(pane, "printf '\\r\\033[A%0150d\\n%0150d' $n $n");
  assertEquals(output, `${LONG}\n${LONG}`);
});

test("a line that is drawn as soon as the pane is resized is shown as it was last", async (pane) => {
  const { client, paneId, world } = pane;
  // Read through its pipe, where a new size is found only at the next poll.
  if ((await client.ok("get-server-info")).version.startsWith("3.2")) return;
  const program = `${world.folder}/draws.py`;
  await Deno.writeTextFile(
    program,
    `import os, signal
def draw(*_):
    os.write(1, b"".join(b"\\r%0150d" % n for n in (1, 2, 3)) + b"\\n")
    os._exit(0)
signal.signal(signal.SIGWINCH, draw)
os.write(1, b"ready\\n")
while True: signal.pause()
`,
  );
  const command = `python3 ${program}`;
  const { commandId } = await client.ok("execute-command", { paneId, command, background: true });
  await pane.untilScreen(/^ready$/m);
  await world.tmux("resize-window", "-t", paneId, "-x", "200", "-y", "40");
  const { output } = await client.ok("get-command-result", { commandId, waitSeconds: 20 });
  assertEquals(output, `ready\n${LONG}`);
});
