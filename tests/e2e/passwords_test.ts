// Typing into a pane whose program asks for a password: denied where it is a person's to type, else with a hint.
import { assertEquals, assertMatch } from "@std/assert";
import { tools } from "../../src/tools/all.ts";
import { inPanesOfOneServer } from "../support/one_server.ts";
import { ShellPane } from "../support/shell_pane.ts";
import { until } from "../support/until.ts";

const denying = inPanesOfOneServer("with type_passwords = false", ["--type-passwords=false"]);

const ASKING = "read -s -p 'Secret: ' word";

/** Arguments beside the pane's, for tools that need some. */
const ARGUMENTS: Readonly<Record<string, Record<string, unknown>>> = {
  "execute-command": { command: "true" },
  "start-and-watch": { command: "true" },
  "run-in-repl": { input: "1" },
  "send-keys": { keys: "x", literal: true },
  "send-hex": { hex: "78" },
  "paste-text": { text: "x" },
  "paste-buffer": { name: "kept" },
};

/** Writes to a file what the pane prints, and types nothing. */
const TYPES_NOTHING = "pipe-pane";

const TYPING = tools.filter(({ effect, input, name }) =>
  effect === "input" && "paneId" in input.shape && name !== TYPES_NOTHING
).map(({ name }) => name);

denying("every tool that types is denied while a password is asked for", async (pane) => {
  const { client, paneId, world } = pane;
  await client.ok("set-buffer", { name: "kept", content: "x" });
  const asked = await pane.run(ASKING);
  assertEquals(asked.status, "waiting");
  assertEquals(TYPING.length > Object.keys(ARGUMENTS).length, true, `${TYPING}`);
  for (const name of TYPING) {
    const { code, text, hint } = await client.fails(name, { paneId, ...ARGUMENTS[name] });
    assertEquals([name, code], [name, "denied"]);
    assertMatch(text, /waits for a password/);
    assertMatch(`${text}${hint}`, /ask-person/);
  }
  const calls = [{ tool: "send-keys", arguments: { paneId, keys: "x", literal: true } }];
  const { results } = await client.ok("call-tools", { calls });
  assertEquals([results[0].ok, results[0].error.code], [false, "denied"]);

  // Nothing was typed, and typing is allowed again once it is answered.
  await world.tmux("send-keys", "-t", paneId, "-l", "mine");
  await world.tmux("send-keys", "-t", paneId, "Enter");
  const done = await client.ok("get-command-result", { commandId: asked.commandId, waitSeconds: 20 });
  assertEquals([done.status, done.exitCode], ["completed", 0]);
  assertEquals((await pane.run('printf %s "$word"')).output, "mine");
});

Deno.test("where passwords may be typed, an answer that typed one says who else could", async () => {
  await using pane = await ShellPane.open(undefined, ["--scope", "all"]);
  const { client, paneId } = pane;
  await client.ok("set-buffer", { name: "kept", content: "x" });
  assertEquals((await pane.run(ASKING)).status, "waiting");
  for (const name of ["send-keys", "send-hex", "paste-text", "paste-buffer", "send-backspace"]) {
    const { hint } = await client.ok(name, { paneId, ...ARGUMENTS[name] });
    assertMatch(`${name}: ${hint}`, /waits for a password\. Have a person type it: ask-person/);
  }
});

/** A program that asks for a password once the file is there. */
const asksLater = (file: string): string =>
  `bash -c 'echo runs; until [ -e ${file} ]; do sleep 0.02; done; read -s -p "Secret: " word; exec cat'`;

denying("slow typing stops where a password is asked for", async (pane) => {
  const { client, paneId, world } = pane;
  const text = "x".repeat(200);
  const calls = [
    ["send-keys", { keys: text, delayMs: 20 }],
    ["execute-command", { command: text, rawMode: true, delayMs: 20 }],
    ["execute-command", { command: text, noEnter: true, delayMs: 20 }],
  ] as const;
  for (const [index, [name, args]] of calls.entries()) {
    const file = `${world.folder}/ask-${index}`;
    await client.ok("respawn-pane", { paneId, command: asksLater(file) });
    await pane.untilScreen(/^runs$/m);
    const typing = client.fails(name, { paneId, ...args });
    await pane.untilScreen(/^xx/m);
    await Deno.writeTextFile(file, "");
    const { code, text: message, hint } = await typing;
    assertEquals([name, code], [name, "denied"]);
    assertMatch(message, /password .*: security\.type_passwords = false; \d+ of 20[01] keys were typed/);
    assertMatch(`${message}${hint}`, /ask-person/);
  }
});

/** Reads lines until a signal makes it ask for a password. */
const ASKS_AT_SIGNAL = "import getpass, signal\n" +
  "signal.signal(signal.SIGUSR1, lambda *_: getpass.getpass('Secret: '))\n" +
  "while True: input('? ')";

denying(
  "lines for a program that asks for a password before they are typed are denied",
  async ({ client, world }) => {
    const script = `${world.folder}/asks.py`;
    await Deno.writeTextFile(script, ASKS_AT_SIGNAL);
    const { paneId } = await client.ok("create-session", { command: `exec python3 ${script}` });
    const state = () => client.ok("pane-state", { paneId });
    await until(async () => (await state()).inputKind === "line");
    const tty = await world.tmux("display-message", "-p", "-t", paneId, "#{pane_tty}");
    const isAsked = `stty -a <${tty.trim()} | grep -qw -- -echo`;
    const { foregroundPid } = await state();
    const ask =
      `${isAsked} || kill -USR1 ${foregroundPid}; timeout 20 sh -c "until ${isAsked}; do sleep 0.01; done"`;
    // The prompt is captured after the decision on the call.
    await world.tmux("set-hook", "-t", paneId, "after-capture-pane", `run-shell '${ask}'`);
    const { code, text } = await client.fails("run-in-repl", { paneId, input: "mine\nmine" });
    assertEquals(code, "denied");
    assertMatch(text, /password .*: security\.type_passwords = false/);
    assertEquals((await state()).inputKind, "password");
  },
);
