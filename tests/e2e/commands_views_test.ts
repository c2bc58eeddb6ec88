// Which part of a command's output is shown, and that reading it again never runs it again.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { inPanesOfOneServer } from "../support/one_server.ts";

const test = inPanesOfOneServer("the shown part of an output");

test("view shows head, tail or all of a kept output", async (pane) => {
  const run = await pane.run("seq 1 3000; echo x >> runs");
  const read = (args: Record<string, unknown>) =>
    pane.client.ok("get-command-result", { commandId: run.commandId, ...args });
  const head = await read({ view: "head", maxLines: 3 });
  assertEquals([head.output, head.outputTruncated, head.nextOffset], ["1\n2\n3", true, 3]);
  const tail = await read({ view: "tail", maxLines: 2 });
  assertEquals(tail.output, "[2998 lines left out here; offset 0 continues]\n2999\n3000");
  assertEquals([tail.outputTruncated, tail.nextOffset], [true, 0]);
  const full = await read({ view: "full" });
  assertEquals([full.output.split("\n").length, full.outputTruncated], [3000, undefined]);
  const later = await read({ view: "tail", offset: 2999, maxLines: 5 });
  assertEquals([later.output, later.outputTruncated], ["3000", undefined]);
  const once = await pane.run("wc -l < runs", { view: "tail" });
  assertEquals(once.output.trim(), "1");
});

test("grep returns the matching lines with their offsets and context", async (pane) => {
  const run = await pane.run("seq 1 5000", { grep: "^(?:10|11|4000)$" });
  assertEquals([run.output, run.matches, run.totalLines], ["9:10\n10:11\n3999:4000", 3, 5000]);
  const read = (args: Record<string, unknown>) =>
    pane.client.ok("get-command-result", { commandId: run.commandId, ...args });
  const around = await read({ grep: "^(?:10|11|4000)$", context: 1 });
  assertEquals(around.output, "8-9\n9:10\n10:11\n11-12\n--\n3998-3999\n3999:4000\n4000-4001");
  assertEquals(around.outputTruncated, undefined);
  const first = await read({ grep: "0$", maxLines: 2 });
  assertEquals([first.output, first.matches, first.nextOffset], ["9:10\n19:20", 500, 29]);
  const next = await read({ grep: "0$", maxLines: 2, offset: 29 });
  assertEquals([next.output, next.matches, next.nextOffset], ["29:30\n39:40", 498, 49]);
  const last = await read({ grep: "0$", maxLines: 2, view: "tail" });
  assertEquals([last.output, last.outputTruncated, last.nextOffset], ["4989:4990\n4999:5000", true, 0]);
  const none = await read({ grep: "absent" });
  assertEquals([none.output, none.matches, none.outputTruncated], ["", 0, undefined]);
  const refused = await pane.client.fails("get-command-result", { commandId: run.commandId, grep: "(?=x)" });
  assertEquals(refused.code, "invalid-argument");
});

test("lines that repeat or count are folded, and offset reads them back", async (pane) => {
  const command = 'echo begin; for i in $(seq 1 60); do echo "Downloading $i of 60"; done; ' +
    "yes same | head -n 3000; echo end";
  const run = await pane.run(command);
  assertEquals(
    run.output,
    "begin\nDownloading 1 of 60 … Downloading 60 of 60 [60 counting lines, offset 1]\n" +
      "same [3000 equal lines, offset 61]\nend",
  );
  assertEquals([run.totalLines, run.outputTruncated, run.nextOffset], [3062, undefined, undefined]);
  const read = (args: Record<string, unknown>) =>
    pane.client.ok("get-command-result", { commandId: run.commandId, ...args });
  const back = await read({ offset: 1, maxLines: 60 });
  assertEquals(back.output, Array.from({ length: 60 }, (_, i) => `Downloading ${i + 1} of 60`).join("\n"));
  const unfolded = await read({ fold: false });
  assert(unfolded.outputTruncated && !/counting/.test(unfolded.output));
  const tail = await read({ fold: true, view: "tail", maxLines: 2 });
  assertMatch(tail.output, /left out here; offset 0 continues\]\nsame \[3000 equal lines, offset 61\]\nend$/);
  // Data is not folded, nor what is as short unfolded.
  const data = await pane.run("seq 1 50; for i in 1 2 3; do echo line $i; done");
  assertEquals(data.output.split("\n").length, 53);
  const always = await pane.run("seq 1 50", { fold: true });
  assertEquals(always.output, "1 … 50 [50 counting lines, offset 0]");
});

test("a match is shown where the lines around it have no room", async (pane) => {
  const { commandId } = await pane.run("seq 1 2000");
  const read = (args: Record<string, unknown>) =>
    pane.client.ok("get-command-result", { commandId, grep: "^1000$", ...args });
  const few = await read({ context: 50, maxLines: 4 });
  assertEquals(few.output, "996-997\n997-998\n998-999\n999:1000");
  assertEquals([few.matches, few.outputTruncated, few.nextOffset], [1, true, 1000]);
  assertEquals((await read({ context: 1e6, maxLines: 1 })).output, "999:1000");
  assertEquals((await read({ context: 50, maxBytes: 20 })).output, "998-999\n999:1000");
  const last = await read({ context: 50, maxLines: 3, view: "tail" });
  assertEquals([last.output, last.outputTruncated], ["999:1000\n1000-1001\n1001-1002", true]);
  const whole = await read({ context: 3 });
  assertEquals([whole.output.split("\n").length, whole.outputTruncated], [7, undefined]);
});

test("of a line that is too long, the part with the match is shown", async (pane) => {
  const path = `${pane.world.folder}/long.txt`;
  await Deno.writeTextFile(path, `head ${"语".repeat(50_000)} needle ${"x".repeat(50_000)} END\n`);
  const { commandId } = await pane.run(`cat ${path}`);
  const read = (args: Record<string, unknown>) =>
    pane.client.ok("get-command-result", { commandId, maxBytes: 1000, ...args });
  for (const view of ["auto", "tail"]) {
    for (const grep of ["needle", "END$", "^head"]) {
      const { output, matches, outputTruncated } = await read({ grep, view });
      const [row, note] = output.split("\n");
      assertMatch(row, new RegExp(`^0:.*${grep.replace("^", "")}`));
      assertMatch(note, /^\[.* of this line: offset 0\]$|^\[the rest of this line: offset 0\]$/);
      assert(!row.includes("\ufffd") && new TextEncoder().encode(output).length <= 1000, grep);
      assertEquals([matches, outputTruncated], [1, true]);
    }
  }
});

test("a wrongly encoded quote swallows nothing, where output moves the cursor too", async (pane) => {
  const run = await pane.run("printf '\\033[H\\033[2Ja \\303\\242\\302\\200\\302\\235 b\\nline2\\nline3\\n'");
  assertEquals(run.output, "a â b\nline2\nline3");
});

test("a long line of bytes that are no character is cut, and counted as it is shown", async (pane) => {
  const run = await pane.run("head -c 100000 /dev/zero | tr '\\0' '\\377'");
  assertEquals([run.totalBytes, run.outputTruncated], [300_000, true]);
  assertMatch(run.output, /\[\d+ bytes of this line left out here/);
  assert(new TextEncoder().encode(run.output).length < 100_000);
});

test("folded lines are read past one that is longer than an answer", async (pane) => {
  const { commandId } = await pane.run("echo a; head -c 100000 /dev/zero | tr '\\0' x; echo; echo b");
  const read = (args: Record<string, unknown>) =>
    pane.client.ok("get-command-result", { commandId, fold: true, maxBytes: 1000, ...args });
  const long = await read({ offset: 1 });
  assertMatch(long.output, /^x{1000}\n\[99000 bytes of this line left out here/);
  assertEquals([long.outputTruncated, long.nextOffset], [true, 2]);
  assertEquals((await read({ offset: 2 })).output, "b");
  assertEquals((await read({ offset: 3 })).output, "");
  const { output } = await pane.run("head -c 100000 /dev/zero | tr '\\0' x", {
    fold: true,
    view: "tail",
    maxBytes: 1000,
  });
  assertMatch(output, /^\[99000 bytes of the next line left out here.*\nx{1000}$/);
});
