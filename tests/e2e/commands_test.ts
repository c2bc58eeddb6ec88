// Results of execute-command for commands that a shell runs.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { inPanesEachWay, inPanesOfOneServer } from "../support/one_server.ts";
import { ShellPane } from "../support/shell_pane.ts";

const test = inPanesOfOneServer("marks, history, raw mode and progress");
const eachWay = inPanesEachWay("commands and their output");

eachWay(
  "execute-command answers output and exit code, and what it changes in the shell stays",
  async (pane) => {
    const failed = await pane.run("echo hi; sh -c 'exit 42'");
    assertEquals([failed.status, failed.exitCode, failed.output], ["completed", 42, "hi"]);
    assertEquals((await pane.run("echo $?")).output, "42");
    await pane.run("cd /usr/share; export KEPT=yes");
    assertEquals((await pane.run("echo $PWD $KEPT; test -t 1 && echo tty")).output, "/usr/share yes\ntty");
    await pane.run("cd /", { subshell: true });
    assertEquals((await pane.run("pwd")).output, "/usr/share");
    assertMatch(await pane.screen(), /^\S+ echo hi; sh -c 'exit 42'\nhi\n\S+ echo \$\?\n42\n/);
  },
);

eachWay("output comes whole, beyond any history limit, and is read on by offset", async (pane) => {
  const all = await pane.run("seq 1 200000", { maxLines: 100 });
  assertEquals([all.totalLines, all.totalBytes, all.outputTruncated], [200_000, 1_288_894, true]);
  const lines = all.output.split("\n");
  assertEquals([lines[0], lines[24], lines.at(-1)], ["1", "25", "200000"]);
  assertEquals(all.nextOffset, 25);
  const { commandId } = all;
  const more = await pane.client.ok("get-command-result", { commandId, offset: 25, maxLines: 2 });
  assertEquals([more.output, more.nextOffset], ["26\n27", 27]);
  const last = await pane.client.ok("get-command-result", { commandId, offset: 199_999 });
  assertEquals([last.output, last.nextOffset], ["200000", undefined]);
  const cut = await pane.run("printf '%0500d\\n' 0; seq 1 1000", { maxBytes: 400 });
  assertMatch(
    cut.output,
    /^0{100}\n\[400 bytes of this line left out here; a larger maxBytes holds more of it\]\n\[\d+ lines left out here; offset 1 /,
  );
});

eachWay("a progress bar is one line, colours go, cleared text stays", async (pane) => {
  const bar = await pane.run(
    "for i in 1 2 3; do printf '\\r%d%%' $i; done; echo; printf '\\033[31mred\\033[m\\n'",
  );
  assertEquals(bar.output, "3%\nred");
  assertEquals((await pane.run("echo kept; clear; echo after")).output, "kept\nafter");
});

test("no program can end a command by printing marks", async (pane) => {
  const forged = "printf '\\033]133;D;0\\007\\033]133;D;9;1234\\007'; env | grep -c 133; sh -c 'exit 6'";
  const result = await pane.run(forged);
  assertEquals([result.exitCode, result.output], [6, "0"]);
});

test("suppressHistory false enters the command as written", async (pane) => {
  await pane.run("echo hidden");
  await pane.run("echo 'kept  as'  written", { suppressHistory: false });
  const { output } = await pane.run("history");
  assertMatch(output, /echo 'kept {2}as' {2}written/);
  assert(!output.includes("hidden") && !output.includes("133"), output);
});

test("rawMode that types slowly is over once all is typed", async (pane) => {
  const slow = await pane.run("echo one; echo two", { rawMode: true, delayMs: 150 });
  assertMatch(slow.output, /^one\ntwo$/m);
});

test("rawMode types into what is no shell, noEnter only types", async ({ world, client }) => {
  const pane = await ShellPane.add(world, client, "cat");
  const raw = await pane.run("over there", { rawMode: true });
  assertEquals([raw.status, raw.exitCode, raw.output], ["completed", undefined, "over there\nover there"]);
  const typed = await pane.run("not yet", { noEnter: true, delayMs: 1 });
  assertEquals([typed.status, typed.output], ["completed", ""]);
  await pane.untilScreen(/not yet$/);
  const unused = [
    [{ delayMs: 5 }, /delayMs/],
    [{ rawMode: true, subshell: true }, /subshell has no effect with rawMode/],
    [{ noEnter: true, shell: "bash" }, /shell has no effect with noEnter/],
    [{ noEnter: true, command: "not\nyet" }, /line break/],
    [{ noEnter: true, background: true }, /background has no effect with noEnter/],
    [{ noEnter: true, onInput: "person" }, /onInput has no effect with noEnter/],
    [{ background: true, onInput: "wait" }, /onInput has no effect with background/],
  ] as const;
  for (const [args, names] of unused) {
    const call = { paneId: pane.paneId, command: "x", ...args };
    const { code, text } = await pane.client.fails("execute-command", call);
    assertEquals(code, "invalid-argument");
    assertMatch(text, names);
  }
});

test("rawMode in a program that reads keys while it works waits for its prompt", async ({ world, client }) => {
  const pane = await ShellPane.add(world, client, "node");
  await pane.untilScreen(/^>$/m);
  const code = "await new Promise((r) => setTimeout(() => r('late'), 1500))";
  const { status, output } = await pane.run(code, { rawMode: true });
  assertEquals([status, /^'late'$/m.test(output)], ["completed", true], output);
});

test("a line that the terminal would cut is refused before any of it is typed", async ({ world, client }) => {
  const pane = await ShellPane.add(world, client, "cat");
  await pane.untilRunning("cat");
  for (const how of [{ rawMode: true }, { noEnter: true }]) {
    const args = { paneId: pane.paneId, command: "x".repeat(5000), ...how };
    const { code, text } = await client.fails("execute-command", args);
    assertEquals(code, "invalid-argument");
    assertMatch(text, /a line of 5000 bytes/);
  }
  assertEquals(await pane.screen(), "");
});

/** Parts of a command that take more rows than their number of characters suggests, and one that does not. */
const WRAPPING = ["a".repeat(100), "\t".repeat(4) + "a".repeat(14), "\x01".repeat(20)];

test("output is placed below all rows of a command that wraps", async ({ world, client }) => {
  const environment = { PS1: "$ " };
  const size = { width: 40, height: 20 };
  for (const wrapping of WRAPPING) {
    const { paneId } = await client.ok("create-session", { command: "bash --norc", ...size, environment });
    const command = `true ${wrapping}; printf 'one\\ntwo\\n\\033[6;1Hthree\\n'`;
    const { output } = await client.ok("execute-command", { paneId, command });
    const screen = await world.tmux("capture-pane", "-p", "-t", paneId);
    const shown = screen.split("\n").slice(screen.split("\n").indexOf("one"));
    assertEquals([wrapping, output], [wrapping, shown.slice(0, shown.indexOf("three") + 1).join("\n")]);
  }
});

test("progress tells the last line", async (pane) => {
  const told: { progress: number; total?: number | undefined; message?: string | undefined }[] = [];
  const onprogress = (update: typeof told[number]): void => void told.push(update);
  const args = { paneId: pane.paneId, command: "echo compiled 41 of 90; sleep 60", timeout: 2.5 };
  const { commandId } = await pane.client.ok("execute-command", args, { onprogress });
  assertMatch(told[0]?.message ?? "", /^\[%\d+ \+\d\.\ds\] compiled 41 of 90$/);
  assertEquals(told[0]?.total, 2.5);
  const during = told.length;
  await pane.client.ok("get-command-result", { commandId, waitSeconds: 2 }, { onprogress });
  const { progress = NaN, total, message = "" } = told[during] ?? {};
  assertEquals(total, 2);
  // How far this call is; how long the command runs is in the message.
  assert(progress < Number(/\+(\d+\.\d)s/.exec(message)?.[1]) - 1, `${progress} ${message}`);
});
