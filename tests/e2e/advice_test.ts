// Mistakes of newcomers: each error names the value, what is valid, and what was probably meant.
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { World } from "../support/world.ts";

const test = inTurnOnOneServer("advice");

type Wrong = [tool: string, args: Record<string, unknown>, says: RegExp];

const WRONG: readonly Wrong[] = [
  [
    "create-session",
    { nmae: "x" },
    /^Unknown argument "nmae" for create-session\. Did you mean name\? Valid/,
  ],
  ["capture-pane", { pane: "%0" }, /Did you mean paneId\?/],
  ["execute-command", { paneId: "%0", command: "true", timeoutSeconds: 1 }, /Did you mean timeout\?/],
  ["list-panes", { filters: { command: "vim" } }, /^Unknown field "command".* Did you mean currentCommand\?/],
  [
    "list-panes",
    { filters: { id__starts_with: "%" } },
    /^Unknown op "starts_with".* Did you mean startswith\?/,
  ],
  [
    "watch-pane",
    { paneId: "%0", triggers: "exit,user-input" },
    /^Unknown trigger "user-input"\. Did you mean user_input\?/,
  ],
  [
    "send-keys",
    { paneId: "%0", keys: "Entr", literal: false },
    /^Cannot press "Entr".* Did you mean Enter\?/,
  ],
  ...[
    ["Backspace", "BSpace"],
    ["ctrl-c", "C-c"],
    ["Control+Alt+X", "C-M-x"],
    ["<Return>", "Enter"],
    ["\\n", "Enter"],
    ["\n", "Enter"],
    ["ArrowUp", "Up"],
    ["alt+left-arrow", "M-Left"],
    ["Shift+Tab", "BTab"],
  ].map(([keys, meant]): Wrong => [
    "send-keys",
    { paneId: "%0", keys, literal: false },
    new RegExp(`Did you mean ${meant}\\?`),
  ]),
  ["send-keys", { paneId: "%0", keys: "constructor", literal: false }, /no such key\. Use/],
  [
    "send-keys",
    { paneId: "%0", keys: "C-KP5", literal: false },
    /^Cannot press "C-KP5": tmux .* cannot send it. Press KP5 instead/,
  ],
  ["select-layout", { windowId: "@0", layout: "tile" }, /^Cannot use layout "tile".* Did you mean tiled\?/],
  ["select-window", { sessionId: "$0", direction: "last" }, /^There is no last window.* list-windows/],
  [
    "select-window",
    { sessionId: "$0", direction: "next" },
    /^There is no next window: it is the only one\. /,
  ],
  [
    "watch-pane",
    { paneId: "%0", triggers: "idle:0" },
    /^Invalid trigger "idle:0": expected idle:SECONDS, more than 0\./,
  ],
  [
    "watch-pane",
    { paneId: "%0", triggers: "port:0" },
    /^Invalid trigger "port:0": expected port:NUMBER, from 1 to/,
  ],
  [
    "call-tools",
    { calls: [{ tool: "list-sessions", argument: {} }] },
    /^Unknown key "argument" in calls\[0\] for call-tools\. Did you mean arguments\? Valid keys: tool, arguments$/,
  ],
  [
    "list-servers",
    { extraSocketPaths: ["/a", "b"] },
    /^Invalid extraSocketPaths\[1\] "b": expected an absolute/,
  ],
  ["select-pane", { windowId: "@0", direction: "last" }, /^There is no last pane.* list-panes/],
  ["subsearch-buffer", { query: "x", matchId: "first" }, /^Cannot find match "first".* search-buffer/],
  ["signal-channel", { channel: "x".repeat(129) }, /: expected 1 to 128 letters/],
  ["load-buffer", { name: "b", path: "none" }, /^Cannot read "none": no such file.* absolute path/],
  ["save-buffer", { name: "b", path: "none/x" }, /^Cannot (write|find) .*\. \S/],
  ["set-option", { option: "mouse", value: "on" }, /^Cannot set "mouse": it is unclear.* global: true/],
  [
    "ensure-service",
    { socket: ".", name: "b", command: "x" },
    /^Cannot use socket "\.": is a directory\. Give a name/,
  ],
  ["rename-session", { sessionId: "$0" }, /^Missing argument "newName" .*\. Give newName: new name$/],
  ["list-panes", { sessionId: "$0", windowId: "@1" }, /^Cannot find window "@1" in session "\$0"/],
  [
    "execute-command",
    { paneId: "%0", command: "echo a |" },
    /ask for more: \| must be followed by a statement\. Close/,
  ],
  ["execute-command", { paneId: "%0", command: "cat <<END" }, /ask for more: [^\n]*here-document[^\n]*$/],
];

test("a wrong call says what was meant and what to do next", async ({ client }) => {
  await client.ok("create-session", { name: "first" });
  await client.ok("create-session", { name: "second" });
  for (const [tool, args, says] of WRONG) assertMatch((await client.fails(tool, args)).text, says);
});

test("a pane that is too small for another says what is large enough", async ({ client }) => {
  const tiny = await client.ok("create-session", { name: "tiny", command: "cat", width: 3, height: 1 });
  const { sessionId } = await client.ok("create-session", { command: "cat" });
  const { paneId: sourcePaneId } = await client.ok("create-window", { sessionId, command: "cat" });
  const calls = {
    "split-pane": { paneId: tiny.paneId },
    "join-pane": { sourcePaneId, targetPaneId: tiny.paneId },
  };
  for (const [tool, args] of Object.entries(calls)) {
    assertMatch(
      (await client.fails(tool, args)).text,
      /^tmux refused: .*\. Split a larger pane, make the window/,
    );
  }
});

test("a tool that nobody knows is refused with the name of the one that was meant", async ({ client }) => {
  await assertRejects(
    () => client.call("list_pane"),
    Error,
    'Unknown tool "list_pane". Did you mean list-panes?',
  );
  const error = await assertRejects(() => client.call("zzz"), Error);
  assertMatch(error.message, /Unknown tool "zzz"\. tools\/list has the tools of this server$/);
  const { results } = await client.ok("call-tools", { calls: [{ tool: "zzz" }] });
  assertMatch(results[0].error.message, /tools\/list has the tools/);
});

Deno.test("a resource that is missing says where to find those that exist, with tools that the client has", async () => {
  await using world = await World.create();
  const client = await world.serve({ args: ["--scope", "agentic"] });
  await client.ok("create-session", { name: "dev" });
  const missing: [uri: string, says: RegExp][] = [
    [
      "tmux://zzz",
      /Cannot find resource "tmux:\/\/zzz"\. Call resources\/list or resources\/templates\/list/,
    ],
    ["tmux://pane/%2599", /Cannot find pane "%99"\. Call list-panes for the ones that exist$/],
    ["tmux://window/@99/info", /Cannot find window "@99"\. Call list-panes for the ones that exist$/],
    ["tmux://sessions/zz", /Cannot find session "zz"\. Call list-sessions/],
    ["tmux://command/c9/result", /Cannot find command "c9"\. Call list-commands/],
  ];
  for (const [uri, says] of missing) {
    const error = await assertRejects(() => client.client.readResource({ uri }), Error);
    assertMatch(error.message, says);
  }
});

test("progress of a command that says nothing yet says so", async ({ world, client }) => {
  const { paneId } = await client.ok("create-session", { startDirectory: world.folder });
  const told = Promise.withResolvers<string>();
  const running = client.ok("execute-command", { paneId, command: "until [ -e go ]; do sleep 0.1; done" }, {
    onprogress: ({ message }) => told.resolve(message ?? ""),
  });
  assertMatch(await told.promise, /^\[%0 \+\d+\.\d+s\] nothing yet$/);
  await Deno.writeTextFile(join(world.folder, "go"), "");
  assertEquals((await running).exitCode, 0);
});

test("a shell that runs a script differs from one at its prompt", async ({ client }) => {
  const { paneId } = await client.ok("create-session", {});
  await client.ok("execute-command", { paneId, command: "true" });
  await client.ok("send-keys", { paneId, keys: "bash -c 'echo go-$((1+1)); read x'", enter: true });
  await client.ok("wait-for-text", { paneId, pattern: "go-2", timeout: 60 });
  const { code, text } = await client.fails("execute-command", { paneId, command: "true" });
  assertEquals(code, "busy");
  assertMatch(
    text,
    /^Cannot run a command in pane "%0": bash runs there: read\(0\) on .*use watch-pane to wait for user_input/,
  );
});
