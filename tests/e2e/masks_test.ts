// Masked secrets reach no client, recording or log.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { onOneServer } from "../support/one_server.ts";
import { until } from "../support/until.ts";
import { World } from "../support/world.ts";

const TOKEN = "ghp_A1b2C3d4E5f6G7h8";

const MASKS = [
  "regex:sk-[A-Za-z0-9]{20,}",
  "literal:correct horse battery staple",
  `literal:${TOKEN}`,
  "literal:12345678",
  'literal:pa$word"of-me',
];
const test = onOneServer(
  "masks of several kinds",
  (world) => world.serve({ args: MASKS.flatMap((mask) => ["--mask", mask]) }),
);

Deno.test("a server says which of the variables to mask it does not have", async () => {
  await using world = await World.create();
  const args = ["--mask", "env:MY_TOKEN", "--mask", "env:NOT_PASSED_ON"];
  const client = await world.serve({ args, env: { MY_TOKEN: TOKEN } });
  await client.ok("list-sessions");
  await until(() => client.stderr.includes("\n"));
  assertEquals(
    client.stderr,
    "tmux-mcp: nothing is masked for NOT_PASSED_ON: not set here (security.mask)\n",
  );
});

Deno.test("security.mask replaces secrets in answers, resources, recordings and logs", async () => {
  await using world = await World.create();
  const audit = `${world.folder}/audit.log`;
  const client = await world.serve({
    args: ["--mask", "env:MY_TOKEN", "--mask", "regex:sk-[0-9]{6}", "--audit-path", audit],
    env: { MY_TOKEN: TOKEN },
    cwd: world.folder,
  });
  const said: unknown[] = [];
  const ask = async (name: string, args: Record<string, unknown>) => {
    const answer = await client.call(name, args);
    said.push(answer);
    return answer.structuredContent ?? answer.content[0]?.text;
  };
  const { paneId } = await ask("create-session", { command: "bash --norc", width: 30, height: 20 });
  await ask("record-pane", { paneId, action: "start", outputPath: `${world.folder}/pane.cast` });
  const run = await ask("execute-command", {
    paneId,
    command: `printf 'the token: ghp_A1b2'; sleep 0.2; echo C3d4E5f6G7h8 sk-123456`,
  });
  assertEquals([run.exitCode, run.output], [0, "the token: [masked] [masked]"]);
  const watched = await ask("start-and-watch", {
    paneId,
    command: `printf 'again ghp_A1b2'; echo C3d4E5f6G7h8 is ready`,
    pattern: "again.*ready",
  });
  assertEquals([watched.event, watched.output], ["pattern:again.*ready", "again [masked] is ready"]);
  const { commandId } = run;
  const again = await ask("get-command-result", { commandId, grep: TOKEN });
  assertEquals(again.matches, 0);
  await ask("get-command-result", { commandId: watched.commandId, waitSeconds: 5 });
  for (const join of [true, false]) assertMatch(await ask("capture-pane", { paneId, join }), /\[masked\]/);
  const styled = "printf 'ghp_A1b2'; printf '\\033[31mC3d4E5f6G7h8\\033[m\\n'";
  await ask("execute-command", { paneId, command: styled });
  const colors = await ask("capture-pane", { paneId, colors: true, lines: 2 });
  // deno-lint-ignore no-control-regex
  assertEquals(colors.split("\n")[0].replace(/\x1b\[[\d;]*m/g, ""), "[masked]");
  await ask("capture-since", { paneId });
  await ask("search-panes", { pattern: "ghp_", history: "all" });
  await ask("snapshot-pane", { paneId });
  await ask("watch-events", {});
  const svg = await ask("screenshot-pane", { paneId, output: "svg" });
  assert(svg.startsWith("<svg"));
  for (const uri of [`tmux://pane/${encodeURIComponent(paneId)}`, `tmux://command/${commandId}/result`]) {
    said.push(await client.client.readResource({ uri }));
  }
  await ask("record-pane", { paneId, action: "stop" });
  const cast = (await Deno.readTextFile(`${world.folder}/pane.cast`)).split("\n").slice(1, -1)
    .map((line) => JSON.parse(line)[2]).join("");
  assertMatch(cast, /the token: \[masked\]/);
  const everything = [JSON.stringify(said), cast, await Deno.readTextFile(audit), client.stderr].join("\n");
  const flat = everything.replaceAll(/\\n|\n|","|<[^>]*>/g, "");
  for (const secret of [TOKEN, "sk-123456"]) {
    assertEquals([everything.includes(secret), flat.includes(secret)], [false, false]);
  }
});

test("what matches a pattern is masked in pictures and rows of a pane that wraps it", async ({ client }) => {
  const printed = "printf 'token: %s-%s\\n' sk A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5; exec cat";
  const { paneId } = await client.ok("create-session", { command: printed, width: 30, height: 10 });
  await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 30 });
  const rows: string = await client.ok("capture-pane", { paneId, join: false });
  assertEquals(rows, "token: [masked]\n");
  assertEquals((await client.ok("snapshot-pane", { paneId })).content, "token: [masked]\n");
  const svg: string = await client.ok("screenshot-pane", { paneId, output: "svg" });
  assertEquals([svg.includes("[masked]"), /A1b2|O5/.test(svg)], [true, false]);
});

test("a secret is masked in rows of a pane that wraps it at one of its blanks", async ({ world, client }) => {
  const printed = "printf 'the passphrase: correct %s\\n' 'horse battery staple'; exec cat";
  const { paneId } = await client.ok("create-session", { command: printed, width: 30, height: 10 });
  await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 30 });
  const rows = (await world.tmux("capture-pane", "-p", "-t", paneId)).trimEnd();
  assertEquals(rows, "the passphrase: correct horse\nbattery staple");
  const { content } = await client.ok("snapshot-pane", { paneId });
  assertEquals(content, "the passphrase: [masked]\n");
  assertEquals(await client.ok("capture-pane", { paneId, join: false }), content);
});

test("a secret that an answer quotes in part is masked", async ({ world, client }) => {
  const { paneId } = await client.ok("create-session", { command: "bash --norc", width: 300, height: 20 });
  const tokens: string[] = [];
  // Details quote 200 characters of a line: each line has the secret a little further on.
  for (const before of [165, 170, 175]) {
    const command = `printf '%${before}s:' | tr ' ' x; echo "error: ghp_A1b2""C3d4E5f6G7h8"`;
    const { event, detail, commandId } = await client.ok("start-and-watch", {
      paneId,
      command,
      triggers: "error",
    });
    assertEquals(event, "error");
    // The line is there a moment before the command has ended.
    await client.ok("get-command-result", { commandId, waitSeconds: 20 });
    tokens.push(detail.match(/ghp_\w{6,}/)?.[0] ?? "");
  }
  assertEquals(tokens, ["", "", ""]);
  await world.tmux("set-buffer", "-b", "held", `export TOKEN=${TOKEN} USER=me`);
  // Each snippet begins and ends within the secret.
  for (const contextBytes of [2, 3, 4, 5]) {
    const { matches } = await client.ok("search-buffer", { query: "E5f6", buffers: ["held"], contextBytes });
    const { snippet } = matches[0];
    assert(snippet.length < TOKEN.length / 2 || snippet === "[masked]", snippet);
  }
});

test("a secret in JSON that a program prints, and beside names of fields, is masked", async ({ world, client }) => {
  const read = async (tool: string, args: Record<string, unknown>) =>
    (await client.call(tool, args)).content[0]!.text!;
  const { paneId } = await client.ok("create-session", { command: "bash --norc", width: 80, height: 20 });
  await client.ok("execute-command", {
    paneId,
    command: "clear; printf '{\\x22id\\x22:\\x22%s\\x22}\\n' ghp_A1b2''C3d4E5f6G7h8",
  });
  const rows = (await read("capture-pane", { paneId })).split("\n");
  const start = rows.findIndex((row) => row.startsWith("{"));
  assertEquals(await read("capture-pane", { paneId, start, end: start }), '{"id":"[masked]"}');
  const json = `{"${TOKEN}":"x","method":"${TOKEN}","pin":12345678}`;
  await world.tmux("set-buffer", "-b", "json", json);
  const masked = '{"[masked]":"x","method":"[masked]","pin":"[masked]"}';
  assertEquals(await read("show-buffer", { name: "json" }), masked);
  for (const [name, value] of Object.entries({ mimeType: "x", data: "x", SECRET: TOKEN, [TOKEN]: "x" })) {
    await world.tmux("set-environment", "-g", name, value);
  }
  const { variables } = await client.ok("show-environment", {});
  const { mimeType, data, SECRET } = variables;
  assertEquals([mimeType, data, SECRET, variables[TOKEN]], ["x", "x", "[masked]", undefined]);
});

test("a secret is masked where tmux quotes it, in a start command and in a hook", async ({ world, client }) => {
  const command = `: 'pa$word"of-me'; exec cat`;
  const { paneId } = await client.ok("create-session", { name: "quoted", command });
  const { startCommand } = await client.ok("get-pane-info", { paneId });
  assertMatch(startCommand, /^\W+'\[masked\]'; exec cat\W*$/);
  await world.tmux("set-hook", "-t", "quoted", "pane-died", `display-message 'pa$word"of-me'`);
  const { hooks } = await client.ok("show-hooks", { target: "quoted", name: "pane-died" });
  assertMatch(hooks[0].command, /^display-message \W*\[masked\]\W*$/);
});

Deno.test("a variable that is not set masks nothing, and does not stop the start", async () => {
  await using world = await World.create();
  const client = await world.serve({ args: ["--mask", "env:NOT_SET_ANYWHERE"] });
  assertEquals((await client.ok("list-sessions")).sessions, []);
});

Deno.test("a mask that is wrong stops the start", async () => {
  await using world = await World.create();
  const { code, stderr } = await new Deno.Command(
    new URL("../../scripts/tmux-mcp", import.meta.url).pathname,
    {
      args: ["--socket", world.socket, "--mask", "literal:abc"],
      env: world.env,
      clearEnv: true,
      stdin: "null",
    },
  ).output();
  assertEquals(code, 2);
  assertMatch(
    new TextDecoder().decode(stderr),
    /^tmux-mcp: Invalid mask number 1: expected a text of at least 4/m,
  );
});

Deno.test("an audit line in which a number is masked is still JSON", async () => {
  await using world = await World.create();
  const path = `${world.folder}/audit.log`;
  const client = await world.serve({ args: ["--mask", "literal:1234", "--audit-path", path] });
  await client.ok("create-session", { name: "a", width: 1234, command: "cat" });
  const lines = (await Deno.readTextFile(path)).trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(lines.map(({ tool, args }) => [tool, args.width]), [["create-session", "[masked]"]]);
});
