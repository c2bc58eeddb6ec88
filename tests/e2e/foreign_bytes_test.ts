// Output of programs comes from strangers: none may stop the server, or cost it more than its length.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { inPanesOfOneServer } from "../support/one_server.ts";
import { ShellPane } from "../support/shell_pane.ts";

const test = inPanesOfOneServer("foreign bytes");

/** Each took xterm half an hour of its caller's thread, or is a neighbour of one that did. */
const COUNTS = [..."SLMTPX@bIZABCDEFGHd"].map((final) => `\\033[999999999${final}`);
const SPELLINGS = [
  "\\033[99999\\n9999S",
  "\\033\\a[999999999S",
  "\\302\\233999999999S",
  "\\033[1\\;999999999L",
];

test("execute-command: a count of a thousand million in a sequence costs nothing", async (pane) => {
  // The decoder's unit test has each alone, cut anywhere.
  for (const sequences of [COUNTS, SPELLINGS]) {
    const { status, output } = await pane.run(
      `printf 'a\\n${sequences.map((each) => `${each}b\\n`).join("")}'`,
    );
    assertEquals(status, "completed");
    assertMatch(output, /b$/);
  }
});

test("start-and-watch, recording, captures and screenshots of what asks to scroll for ever", async (pane) => {
  const { client, paneId, world } = pane;
  const outputPath = `${world.folder}/a.cast`;
  await client.ok("record-pane", { paneId, action: "start", outputPath });
  const command = `printf '${COUNTS.join("x\\n")}'; echo ready; read x`;
  const { event, commandId } = await client.ok("start-and-watch", { paneId, command, pattern: "ready" });
  assertMatch(event, /^pattern:/);
  await client.ok("capture-pane", { paneId });
  await client.ok("capture-since", { paneId });
  const { content } = await client.call("screenshot-pane", { paneId });
  assert(content.some(({ type }) => type === "image"));
  await client.ok("send-enter", { paneId });
  const done = await client.ok("get-command-result", { commandId, waitSeconds: 20 });
  assertEquals([done.status, done.exitCode], ["completed", 0]);
  await client.ok("record-pane", { paneId, action: "stop", outputPath });
});

test("run-in-repl: an answer that asks to scroll for ever", async ({ client }) => {
  const { paneId } = await client.ok("create-session", { command: "python3 -q" });
  await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 20 });
  for (const final of "SLMTb") {
    const input = `print("a\\x1b[999999999${final}b")`;
    const { output, timedOut } = await client.ok("run-in-repl", { paneId, input });
    assertEquals(timedOut, undefined);
    assertMatch(output, /b$/);
  }
});

test("execute-command: erasing the screen from its last cell does not end the server", async (pane) => {
  for (const erase of ["\\033[1J", "\\033[?1J"]) {
    const { exitCode, output } = await pane.run(`printf 'gone\\033[30;100H${erase}kept'; (exit 3)`);
    assertEquals(exitCode, 3, erase);
    assertMatch(output, /^(?!.*gone)[^]* kept$/, erase);
  }
  assertEquals((await pane.run("echo next")).output, "next");
});

test("execute-command: a sequence that a command leaves open does not swallow the prompt", (served) =>
  ShellPane.forEachOf(
    served,
    ["bash --norc", "zsh -f", "fish --no-config", "dash -i", "mksh", "ksh -E"],
    async (pane, shell) => {
      for (const open of ["\\033Pq", "\\033]0;", "\\033_G", "\\033X", "\\033[3", "\\033"]) {
        const { exitCode, output } = await pane.run(`printf 'a\\n${open}'; false`);
        assertEquals([exitCode, output.trimEnd()], [1, "a"], `${shell}: ${open}`);
        assertEquals((await pane.run("echo next")).output, "next", `${shell}: after ${open}`);
      }
    },
  ));
