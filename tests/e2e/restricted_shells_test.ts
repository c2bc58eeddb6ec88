// Shells that may not change PATH, and those that commands can't be run in.
import { assertEquals, assertMatch } from "@std/assert";
import { ShellLine } from "../support/shell_lines.ts";
import { onOneServer } from "../support/one_server.ts";

const test = onOneServer("shells without a PATH to change, or of other languages");

const WITH_OWN_PATH: Record<string, { command: string; first?: string }> = {
  "restricted bash": { command: "bash --norc -r" },
  "restricted ksh93": { command: "ksh93 -r" },
  "restricted zsh": { command: "zsh -f -r" },
  "restricted mksh": { command: "mksh -r" },
  "dash with a read-only PATH": { command: "dash -i", first: "readonly PATH" },
  "ksh93 with a read-only PATH": { command: "ksh93", first: "readonly PATH" },
  "mksh with a read-only PATH": { command: "mksh", first: "readonly PATH" },
  "yash with a read-only PATH": { command: "yash --norcfile", first: "readonly PATH" },
  "dash with a read-only PATH without stty": { command: "dash -i", first: "PATH=/nowhere; readonly PATH" },
};

for (const [name, options] of Object.entries(WITH_OWN_PATH)) {
  test(`a shell that may not change PATH runs commands and says nothing about it: ${name}`, async ({ world, client }) => {
    const { paneId } = await ShellLine.open(world, client, options);
    const { exitCode, output } = await client.ok("execute-command", {
      paneId,
      command: "echo hi; (exit 3)",
    });
    assertEquals([exitCode, output], [3, "hi"]);
    const typed = await client.ok("execute-command", { paneId, command: "read x; echo $x", timeout: 10 });
    assertEquals(typed.status, "waiting");
    await client.ok("send-keys", { paneId, keys: "seen", enter: true });
    const read = await client.ok("get-command-result", { commandId: typed.commandId, waitSeconds: 10 });
    assertEquals([read.status, read.output], ["completed", "seen\nseen"]);
  });
}

for (const command of ["elvish -norc", "tcsh -f", "xonsh --no-rc"]) {
  test(`a shell of another language is unsupported at once, and nothing is typed there: ${command}`, async ({ world, client }) => {
    const { paneId } = await client.ok("create-session", { command });
    await client.ok("watch-pane", { paneId, triggers: ["user_input"], timeout: 60 });
    const before = await world.tmux("capture-pane", "-p", "-t", paneId);
    const failure = await client.fails("execute-command", { paneId, command: "echo ours" });
    assertEquals(failure.code, "unsupported");
    assertMatch(
      failure.text,
      new RegExp(`its shell is ${command.split(" ")[0]}.*create-session with command: bash`),
    );
    assertEquals(await world.tmux("capture-pane", "-p", "-t", paneId), before);
  });
}
