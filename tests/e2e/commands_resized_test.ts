// The output of a command whose pane is resized while it runs: later lines are read at the new width.
import { assertEquals, assertMatch } from "@std/assert";
import { inPanesEachWay, inPanesOfOneServer } from "../support/one_server.ts";
import type { CommandAnswer, ShellPane } from "../support/shell_pane.ts";
import { until } from "../support/until.ts";

const eachWay = inPanesEachWay("a command whose pane is resized");
const test = inPanesOfOneServer("other programs in panes that are resized");

/** A line that fits on one row only once the pane is wider. */
const LONG = "3".padStart(150, "0");
const BEGIN = "stty -echo; echo ready; read x; stty echo; echo; for n in 1 2 3; do ";

/** Resizes the pane; settles once the server knows, as a recording of it says. */
async function widen({ world, client, paneId }: ShellPane): Promise<void> {
  const outputPath = `${world.folder}/${crypto.randomUUID()}.cast`;
  await client.ok("record-pane", { paneId, action: "start", outputPath });
  await world.tmux("resize-window", "-t", paneId, "-x", "200", "-y", "40");
  await until(async () => (await Deno.readTextFile(outputPath)).includes(`"r","200x40"`));
  await client.ok("record-pane", { paneId, action: "stop" });
}

/** Runs a command that goes on at the Enter that comes after the resize. */
async function runResized(pane: ShellPane, command: string, args = {}): Promise<CommandAnswer> {
  const { client, paneId } = pane;
  const { commandId } = await client.ok("execute-command", { paneId, command, background: true, ...args });
  await pane.untilScreen(/^ready$/m);
  await widen(pane);
  await client.ok("send-keys", { paneId, keys: "", enter: true });
  return await client.ok("get-command-result", { commandId, waitSeconds: 20, onInput: "wait" });
}

eachWay("a long line that is drawn again is shown as it was last", async (pane) => {
  const { output } = await runResized(pane, `${BEGIN} printf '\\r%0150d' $n; done; echo`);
  assertEquals(output, `ready\n\n${LONG}`);
});

eachWay("long lines that are drawn again from above are shown as they were last", async (pane) => {
  const { output } = await runResized(pane, `${BEGIN} printf '\\r\\033[A%0150d\\n%0150d' $n $n; done; echo`);
  assertEquals(output, `ready\n${LONG}\n${LONG}`);
});

test("so is what a program draws that text was typed into", async (pane) => {
  const { output } = await runResized(pane, `${BEGIN} printf '\\r%0150d' $n; done; echo`, { rawMode: true });
  assertMatch(output, new RegExp(`\nready\n\n${LONG}\n`));
});

test("so is what a program draws as soon as it is resized", async (pane) => {
  const program = `${pane.world.folder}/draws.py`;
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
  const { client, paneId, world } = pane;
  const command = `python3 ${program}`;
  const { commandId } = await client.ok("execute-command", { paneId, command, background: true });
  await pane.untilScreen(/^ready$/m);
  await world.tmux("resize-window", "-t", paneId, "-x", "200", "-y", "40");
  const { output } = await client.ok("get-command-result", { commandId, waitSeconds: 20 });
  assertEquals(output, `ready\n${LONG}`);
});
