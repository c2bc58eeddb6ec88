import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { code, read, rig } from "../support/read_resources.ts";
import { until } from "../support/until.ts";
import { World } from "../support/world.ts";
import { McpError } from "../support/sdk.ts";

const test = inTurnOnOneServer("resources");

test("every resource is read with its mimeType, by ids raw and encoded", async ({ world, client }) => {
  const { paneId, windowId, sessionId } = await rig(client);
  const info = await read(client, "tmux://server/info");
  assertEquals([info.mimeType, info.json.alive, info.json.sessions], ["application/json", true, 1]);
  assertEquals((await read(client, "tmux://sessions")).json[0].name, "wörk 1");
  for (const name of ["w%C3%B6rk%201", "wörk 1", sessionId, encodeURIComponent(sessionId)]) {
    assertEquals((await read(client, `tmux://sessions/${name}`)).json.id, sessionId, name);
  }
  assertEquals((await read(client, "tmux://sessions/w%C3%B6rk%201/windows")).json[0].id, windowId);
  assertEquals((await read(client, "tmux://sessions/w%C3%B6rk%201/windows/0")).json.id, windowId);
  const tree = (await read(client, `tmux://session/${sessionId}/tree`)).json;
  assertEquals([tree.id, tree.windows[0].id, tree.windows[0].panes[0].id], [sessionId, windowId, paneId]);
  for (const id of [windowId, encodeURIComponent(windowId)]) {
    assertEquals((await read(client, `tmux://window/${id}/info`)).json.id, windowId);
  }
  for (const id of [paneId, encodeURIComponent(paneId)]) {
    const text = await read(client, `tmux://pane/${id}`);
    assertEquals([text.mimeType, text.text.split("\n").length], ["text/plain", 200]);
    assert((await read(client, `tmux://pane/${id}/info`)).json.sessionName);
    assertEquals((await read(client, `tmux://pane/${id}/tail/2`)).text, "300\nthe-end");
    assert((await read(client, `tmux://pane/${id}/tail/500/ansi`)).text.startsWith("\x1b[31mred"));
    assertEquals(Object.keys((await read(client, `tmux://panes/${id}`)).json).length, 11);
    assertEquals((await read(client, `tmux://panes/${id}/content`)).text.split("\n").length, 24);
  }
  assertEquals((await read(client, "tmux://clients")).json, []);
  const other = `?socket=${encodeURIComponent(`${world.folder}/other.sock`)}`;
  assertEquals((await read(client, `tmux://sessions${other}`)).json, []);
  assertEquals(await code(read(client, `tmux://pane/${paneId}${other}`)), -32002);
});

test("a text that is not an id is named, with an example and where to find one", async ({ client }) => {
  await rig(client);
  for (
    const [uri, problem, source] of [
      ["tmux://pane/mai", '"mai" is not a pane id such as %5', "resources/list"],
      ["tmux://panes/@0/content", '"@0" is not a pane id such as %5', "resources/list"],
      ["tmux://window/x/info", '"x" is not a window id such as @3', "tmux://sessions/{name}/windows"],
      ["tmux://session/main/tree", '"main" is not a session id such as $1', "tmux://sessions"],
    ] as const
  ) {
    const { message, data } = await assertRejects(() => read(client, uri), McpError);
    const hint = `Take one from ${source}`;
    assertEquals(message, `MCP error -32002: Cannot find resource "${uri}": ${problem}. ${hint}`);
    assertEquals((data as { hint: string }).hint, hint);
  }
});

test("tmux://pane/%5 resolves, and %250 is %0", async ({ client }) => {
  await rig(client);
  for (let i = 1; i < 12; i++) {
    await client.ok("create-session", { name: `s${i}`, command: "exec sleep 1000" });
  }
  for (const [uri, id] of [["%5", "%5"], ["%11", "%11"], ["%250", "%0"], ["%2510", "%10"]]) {
    assertEquals((await read(client, `tmux://panes/${uri}`)).json.id, id, uri);
  }
});

test("a session whose name has blanks and percent signs is read by it, encoded in whole or in part", async ({ client }) => {
  const names = {
    "a b%": ["a%20b%25", "a%20b%", "a b%", "a b%25"],
    "50% ö%": ["50%%20%C3%B6%", "50%25%20ö%"],
  };
  for (const [name, spellings] of Object.entries(names)) {
    await client.ok("create-session", { name, command: "exec sleep 1000" });
    for (const uri of spellings) {
      assertEquals((await read(client, `tmux://sessions/${uri}`)).json.name, name, uri);
    }
  }
  const { message } = await assertRejects(() => read(client, "tmux://sessions/%ff%20none%"), McpError);
  assertMatch(message, /Cannot find session "%ff%20none%"/);
});

test("resources fail as protocol errors, not as text that looks like success", async ({ world, client }) => {
  const { paneId } = await rig(client);
  const missing = [
    ...["tmux://pane/%99", "tmux://pane/%2599/info", "tmux://panes/%99/content", "tmux://sessions/none"],
    ...[
      "tmux://sessions/none/windows",
      "tmux://sessions/none/windows/0",
      "tmux://sessions/w%C3%B6rk%201/windows/7",
    ],
    ...["tmux://session/$99/tree", "tmux://window/@99/info", "tmux://command/nope/result", "tmux://pane/x"],
    ...["tmux://nothing", "tmux://pane", "tmux://pane/%0/tail", "http://pane/%0", "tmux://pane//info"],
  ];
  for (const uri of missing) assertEquals(await code(read(client, uri)), -32002, uri);
  assertEquals(await code(read(client, `tmux://pane/${paneId}/tail/many`)), -32602);
  await world.tmux("kill-server");
  assertEquals(await code(read(client, `tmux://pane/${paneId}`)), -32002);
});

test("what is live is listed, page by page, and can be read", async ({ world, client }) => {
  await rig(client);
  const { resources, nextCursor } = await client.client.listResources();
  assertEquals(nextCursor, undefined);
  for (const { uri, mimeType, name } of resources) {
    assertEquals((await read(client, uri)).mimeType, mimeType!);
    assert(name);
  }
  assertEquals(resources.map((each) => each.uri).slice(0, 4), [
    ...["tmux://server/info", "tmux://sessions", "tmux://sessions/w%C3%B6rk%201", "tmux://session/%240/tree"],
  ]);
  // tmux names a window after its program, at any time.
  await world.tmux("rename-window", "-t", "@0", "cat");
  const more = ["new-window", "-d", "-n", "sleep", "-t", "=wörk 1:", "exec sleep 1000", ";"];
  await world.tmux(...Array.from({ length: 80 }, () => more).flat());
  const uris: string[] = [];
  let pages = 0;
  for (let params: { cursor?: string } | undefined = {}; params; pages++) {
    const page = await client.client.listResources(params);
    uris.push(...page.resources.map((each) => each.uri));
    params = page.nextCursor === undefined ? undefined : { cursor: page.nextCursor };
  }
  assert(pages > 1);
  assertEquals(uris.length, new Set(uris).size);
  assertEquals(uris.filter((uri) => /pane\/[^/]*$/.test(uri)).length, 81);
  const lists = ["listResources", "listResourceTemplates", "listTools", "listPrompts"] as const;
  for (const list of lists) {
    assertEquals(await code(client.client[list]({ cursor: "x" })), -32602, list);
    assertEquals(await client.client[list]({ cursor: "" }), await client.client[list](), list);
  }
  const { resourceTemplates } = await client.client.listResourceTemplates();
  assertEquals(resourceTemplates.length, 16);
  const own = resourceTemplates.filter((each) => !each.uriTemplate.endsWith("{?socket}"));
  assertEquals(own.map((each) => each.uriTemplate), ["skill://{skill}/SKILL.md"]);
});

test("every session of a group is listed, and its window once", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "-s", "first", "exec sleep 1000");
  await world.tmux("new-session", "-d", "-s", "second", "-t", "first");
  const { resources } = await client.client.listResources();
  const own = ["tmux://server/info", "tmux://sessions", "tmux://clients"];
  assertEquals(resources.map(({ uri }) => uri).filter((uri) => !own.includes(uri)), [
    ...["tmux://sessions/first", "tmux://sessions/second"],
    ...["tmux://session/%240/tree", "tmux://session/%241/tree"],
    ...["tmux://window/@0/info", "tmux://pane/%250", "tmux://pane/%250/info"],
  ]);
});

Deno.test("commands are listed once, also if others begin between two pages", async () => {
  await using world = await World.create();
  await using other = await World.create();
  // Its pages of 12 KB end among the commands.
  const client = await world.serve({ args: ["--client", "codex"] });
  const { paneId } = await client.ok("create-session", { command: "bash --norc" });
  const windows = Array.from({ length: 12 }, () => ["new-window", "-d", "exec sleep 1000", ";"]);
  await world.tmux(...windows.flat());
  const run = { tool: "execute-command", arguments: { paneId, command: "true" } };
  const { results } = await client.ok("call-tools", { calls: Array.from({ length: 32 }, () => run) });
  const first = await client.client.listResources();
  const elsewhere = { socket: other.socket };
  const { paneId: otherId } = await client.ok("create-session", { command: "bash --norc", ...elsewhere });
  await client.ok("execute-command", run.arguments);
  await client.ok("execute-command", { ...run.arguments, paneId: otherId, ...elsewhere });
  const second = await client.client.listResources({ cursor: first.nextCursor! });
  const pages = [first, second].map(({ resources }) =>
    resources.flatMap(({ uri }) => /^tmux:\/\/command\/(.*)\/result$/.exec(uri)?.[1] ?? [])
  );
  assert(pages.every((page) => page.length > 0));
  const ids = results.map(({ result }: { result: { commandId: string } }) => result.commandId);
  assertEquals(pages.flat(), ids.toReversed());
});

test("a resource's title takes one line, whatever its program calls itself", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "-s", "named", "perl", "-e", '$0 = "ev\nil"; sleep 1000');
  const titles = async (): Promise<string[]> =>
    (await client.client.listResources()).resources.map(({ name }) => name);
  await until(async () => (await titles()).some((name) => name.includes("ev?il")));
  assertEquals((await titles()).filter((name) => name.includes("\n")), []);
});

test("policy closes resources as it closes tools", async ({ world, client }) => {
  const { paneId } = await rig(client);
  await client.ok("create-session", { name: "other", command: "exec sleep 1000" });
  await world.tmux("set-option", "-g", "@x", "y");
  await Deno.writeTextFile(
    `${world.folder}/c.toml`,
    `[security]\nallow_capture = false\nallowed_sessions = ["other"]\n`,
  );
  const limited = await world.serve({ args: ["--config", `${world.folder}/c.toml`] });
  assertEquals(await code(read(limited, `tmux://pane/${paneId}`)), -32003);
  assertEquals(await code(read(limited, `tmux://pane/${paneId}/info`)), -32003);
  assertEquals((await read(limited, "tmux://sessions")).json.map((each: { name: string }) => each.name), [
    "other",
  ]);
  await world.tmux("split-window", "-d", "-t", "=other:", "exec sleep 1000");
  const one = await world.serve({ env: { TMUX_MCP_ALLOWED_PANES: "%1" } });
  const tree = (await read(one, "tmux://session/$1/tree")).json;
  assertEquals(tree.windows[0].panes.map((each: { id: string }) => each.id), ["%1"]);
  const { resources } = await limited.client.listResources();
  assertEquals(resources.filter((each) => each.uri.includes("w%C3%B6rk")), []);
  assertEquals(resources.filter((each) => each.mimeType === "text/plain"), []);
});

test("a resource is named by ids as tmux writes them, and by no parameter but its own", async ({ world, client }) => {
  await client.ok("create-session", { name: "main" });
  const codeOf = (uri: string): Promise<number> =>
    client.client.readResource({ uri }).then(() => 0, (error) => error.code);
  const targets = [
    "mai",
    "main",
    ".",
    ":",
    "!",
    "+",
    "{last}",
    "=main",
    "%",
    "%00",
    "@0",
    "$0",
    "main:0.0",
    "~",
    "-1",
  ];
  for (const target of targets) {
    const encoded = encodeURIComponent(target);
    for (
      const uri of [
        ...[`tmux://pane/${encoded}`, `tmux://pane/${encoded}/info`, `tmux://pane/${encoded}/tail/5`],
        ...[`tmux://panes/${encoded}`, `tmux://panes/${encoded}/content`],
        ...(target === "@0" ? [] : [`tmux://window/${encoded}/info`]),
        ...(target === "$0" ? [] : [`tmux://session/${encoded}/tree`]),
        ...(["main", "$0"].includes(target)
          ? []
          : [`tmux://sessions/${encoded}`, `tmux://sessions/${encoded}/windows`]),
      ]
    ) assertEquals([uri, await codeOf(uri)], [uri, -32002]);
  }
  for (
    const query of [
      "socket_name=foo",
      "Socket=foo",
      "socket=",
      "socket=%00",
      "socket=x&sock=y",
      "paneId=%250",
    ]
  ) {
    assertEquals([query, await codeOf(`tmux://sessions?${query}`)], [query, -32602]);
  }
  assertEquals(await codeOf("tmux://sessions?"), 0);
  assertEquals(await codeOf(`tmux://sessions?socket=${encodeURIComponent(world.socket)}`), 0);
});
