// Workspaces in the format of tmuxp: made once, completed where something is missing, ready when the call returns.
// deno-lint-ignore-file camelcase -- the keys are those of the format
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import type { TestClient } from "../support/world.ts";

const test = inTurnOnOneServer(
  "workspaces in the format of tmuxp",
  (world) => world.serve({ env: { GREETING: "hello" } }),
);

interface AppliedPane {
  paneId: string;
  status: string;
  ready?: boolean;
  event?: string;
}

interface Applied {
  windows: { windowId: string; panes: AppliedPane[] }[];
}

function panesOf({ windows }: Applied): AppliedPane[] {
  return windows.flatMap(({ panes }) => panes);
}

async function untilShown(client: TestClient, paneId: string, pattern: string): Promise<void> {
  const { found } = await client.ok("wait-for-text", { paneId, pattern, regex: true, timeout: 20 });
  assert(found, `${paneId} never showed ${pattern}:\n${await client.ok("capture-pane", { paneId })}`);
}

test("a workspace of a file", async ({ world, client }, t) => {
  await Deno.mkdir(`${world.folder}/shop/src`, { recursive: true });
  const file = `${world.folder}/shop/shop.yaml`;
  await Deno.writeTextFile(
    file,
    `
session_name: shop-\${GREETING}
start_directory: ./
environment: { LEVEL: session, KEPT: 7, GREETING: own }
shell_command_before: [ 'PS1="> "' ]
windows:
  - window_name: editor
    layout: main-vertical
    options: { main-pane-width: 60 }
    panes:
      - echo "in $PWD_IS_UNSET" $LEVEL
      - shell_command: [ cd src, 'echo "\${PWD}" \$GREETING ''\$GREETING'' ~' ]
        focus: true
      - blank
  - window_name: logs
    window_index: 5
    focus: yes
    environment: { LEVEL: window }
    options_after: { synchronize-panes: on }
    panes:
      - { shell_command: 'echo $LEVEL-$KEPT', start_directory: src }
      - { shell_command: [ { cmd: 'echo half', enter: false } ] }
`,
  );
  let first: Applied & { sessionId: string };

  await t.step("is made with its windows, panes, folders, variables and commands", async () => {
    first = await client.ok("apply-workspace", { file });
    assertEquals(
      first,
      {
        ...first,
        sessionName: "shop-hello",
        created: true,
        ready: true,
      } as typeof first,
    );
    const [editor, logs] = first.windows as [Applied["windows"][0], Applied["windows"][0]];
    assertEquals(panesOf(first).map(({ status }) => status), Array(5).fill("made"));
    const { windows } = await client.ok("list-windows", { sessionId: first.sessionId });
    assertEquals(
      windows.map(({ name, index, active }: { name: string; index: number; active: boolean }) => [
        ...[name, index, active],
      ]),
      [["editor", 0, false], ["logs", 5, true]],
    );
    const { panes } = await client.ok("list-panes", { sessionId: first.sessionId });
    const paths = panes.map((pane: { currentPath: string }) => pane.currentPath.slice(world.folder.length));
    assertEquals(paths.filter((_: string, at: number) => at !== 1), ["/shop", "/shop", "/shop/src", "/shop"]);
    assertEquals(panes[0].width, 60);
    assertEquals(panes.slice(0, 3).map((pane: { active: boolean }) => pane.active), [false, true, false]);
    await untilShown(client, editor.panes[0]!.paneId, "^in +session$");
    await untilShown(client, editor.panes[1]!.paneId, `/shop/src own \\$GREETING ${world.folder}$`);
    await untilShown(client, logs.panes[0]!.paneId, "^window-7$");
    await untilShown(client, logs.panes[1]!.paneId, "> *echo half$");
    const { value } = await client.ok("show-option", {
      option: "synchronize-panes",
      target: logs.windowId,
    });
    assertEquals(value, "on");
  });

  await t.step("and stays as it is when it is applied again, by any server", async () => {
    const before = await client.ok("list-panes", { sessionId: first.sessionId });
    for (const each of [client, await world.serve({ env: { GREETING: "other" } })]) {
      const again = await each.ok("apply-workspace", { file });
      assertEquals([again.created, again.sessionId], [false, first.sessionId]);
      assertEquals(panesOf(again).map(({ paneId }) => paneId), panesOf(first).map(({ paneId }) => paneId));
      assertEquals(panesOf(again).map(({ status }) => status), Array(5).fill("found"));
    }
    assertEquals(await client.ok("list-panes", { sessionId: first.sessionId }), before);
  });

  await t.step("and gets back what is missing, in its place, typed to nobody else", async () => {
    const [editor, logs] = first.windows as [Applied["windows"][0], Applied["windows"][0]];
    await client.ok("kill-pane", { paneId: editor.panes[1]!.paneId });
    await client.ok("kill-pane", { paneId: logs.panes[0]!.paneId });
    await client.ok("rename-window", { windowId: editor.windowId, newName: "renamed" });
    const again: Applied = await client.ok("apply-workspace", { file });
    assertEquals(panesOf(again).map(({ status }) => status), ["found", "made", "found", "made", "found"]);
    const { panes } = await client.ok("list-panes", { sessionId: first.sessionId });
    assertEquals(panes.map(({ id }: { id: string }) => id), panesOf(again).map(({ paneId }) => paneId));
    await untilShown(client, again.windows[1]!.panes[0]!.paneId, "^window-7$");
    const other = await client.ok("capture-pane", { paneId: logs.panes[1]!.paneId });
    assertEquals(/LEVEL/.test(other), false, other);
    const { value, inherited } = await client.ok("show-option", {
      option: "synchronize-panes",
      target: again.windows[1]!.panes[0]!.paneId,
    });
    assertEquals([value, inherited], ["on", true]);
  });
});

test("windows keep their indexes where tmux renumbers windows", async ({ world, client }) => {
  await client.ok("create-session", { name: "keeps-the-server", command: "exec cat" });
  await world.tmux("set-option", "-g", "renumber-windows", "on");
  const windows = [3, 7].map((index) => ({ window_name: `w${index}`, window_index: index, panes: ["pane"] }));
  await client.ok("apply-workspace", { workspace: { session_name: "s", windows } });
  const listed = await client.ok("list-windows", { sessionId: "s" });
  assertEquals(listed.windows.map(({ index }: { index: number }) => index), [3, 7]);
});

test("a hook that links new windows elsewhere keeps none that the workspace lacks", async ({ world, client }) => {
  const hub = await client.ok("create-session", { name: "hub", command: "exec cat" });
  await world.tmux("set-hook", "-g", "after-new-session", "link-window -d -t hub:");
  const windows = [{ window_name: "a", panes: ["pane"] }];
  const made = await client.ok("apply-workspace", { workspace: { session_name: "s", windows } });
  const listed = (await world.tmux("list-windows", "-a", "-F", "#{window_id}")).trim().split("\n");
  assertEquals(listed, [hub.windowId, made.windows[0].windowId]);
});

test("a workspace that waits until its panes are ready", async ({ client }) => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const serve = `python3 -m http.server ${port} --bind 127.0.0.1`;
  const workspace = {
    session_name: "services",
    windows: [{
      panes: [
        { shell_command: serve, ready: { port, timeout: 40 } },
        {
          shell_command: ["cd /tmp", "printf 'listening on %s\\n' socket; sleep 100"],
          ready: { pattern: "^listening on socket", timeout: 40 },
        },
        { shell_command: "echo bad >&2; false", ready: { pattern: "never", timeout: 40 } },
        { shell: "cat", shell_command: ["up"], ready: { pattern: "^up", timeout: 40 } },
      ],
    }],
  };
  const made = await client.ok("apply-workspace", { workspace });
  assertEquals(panesOf(made).map(({ ready }) => ready), [true, true, false, true]);
  assertEquals([made.ready, panesOf(made)[2]!.event], [false, "exit"]);
  assertMatch(made.windows[0].panes[2].output, /bad/);
  const { exitCode } = await client.ok("get-command-result", {
    commandId: made.windows[0].panes[2].commandId,
  });
  assertEquals(exitCode, 1);

  const again = await client.ok("apply-workspace", { workspace: JSON.stringify(workspace) });
  assertEquals(panesOf(again).map(({ status }) => status), Array(4).fill("found"));
  assertEquals(panesOf(again).map(({ ready }) => ready).filter((_, at) => at !== 2), [true, true, true]);
});

test("what can't be made is refused by name, and nothing is made", async ({ world, client }, t) => {
  const window = { panes: ["echo x"] };
  const refused: [title: string, workspace: unknown, code: string, named: RegExp][] = [
    [
      "unknown keys",
      { session_name: "a", windows: [{ panes: [{ shell_comand: "x", zz: 1 }] }] },
      "invalid-argument",
      /windows\[0\]\.panes\[0\]\.shell_comand.*zz/s,
    ],
    ["plugins", { session_name: "a", plugins: ["x.Y"], windows: [window] }, "unsupported", /plugins/],
    ["no name", { windows: [window] }, "invalid-argument", /session_name/],
    ["no windows", { session_name: "a" }, "invalid-argument", /windows/],
    ["a name that tmux changes", { session_name: "a.b", windows: [window] }, "invalid-argument", /a\.b/],
    [
      "a folder",
      { session_name: "a", windows: [{ ...window, start_directory: "/no/such" }] },
      "invalid-argument",
      /\/no\/such.*windows\[0\]/,
    ],
    [
      "a layout",
      { session_name: "a", windows: [{ ...window, layout: "spiral" }] },
      "invalid-argument",
      /spiral/,
    ],
    [
      "an option",
      { session_name: "a", windows: [{ ...window, options: { "no-such": 1 } }] },
      "invalid-argument",
      /windows\[0\]\.options\.no-such/,
    ],
    [
      "a hook",
      { session_name: "a", options: { "pane-died": "run-shell true" }, windows: [window] },
      "denied",
      /pane-died/,
    ],
    [
      "a pattern",
      { session_name: "a", windows: [{ panes: [{ shell_command: "x", ready: { pattern: "(" } }] }] },
      "invalid-argument",
      /\(/,
    ],
    [
      "a readiness of nothing",
      { session_name: "a", windows: [{ panes: [{ shell_command: "x", ready: { timeout: 1 } }] }] },
      "invalid-argument",
      /ready/,
    ],
    [
      "a script that fails",
      { session_name: "a", before_script: "sh -c 'echo why; echo All is well; exit 3'", windows: [window] },
      "invalid-argument",
      /exit code 3\. It printed: "why\\nAll is well"\. Nothing was created$/,
    ],
    [
      "a variable that is not set in a name",
      "{ session_name: a, windows: [{ window_name: 'for ${NOBODY_SETS}' }] }",
      "invalid-argument",
      /windows\[0\]\.window_name "for \$\{NOBODY_SETS\}": \$\{NOBODY_SETS\} is not set/,
    ],
    ["broken YAML", "session_name: [", "invalid-argument", /workspace/],
    [
      "an unknown key at the end of a long text",
      `session_name: a\nwindows:\n${"- panes: [echo]\n".repeat(1000)}zz: 1`,
      "invalid-argument",
      /zz/,
    ],
  ];
  for (const [title, workspace, code, named] of refused) {
    await t.step(title, async () => {
      const error = await client.fails("apply-workspace", { workspace });
      assertEquals(error.code, code, error.text);
      assertMatch(error.text, named);
      assertEquals(await client.ok("list-sessions"), { sessions: [] });
    });
  }
  await t.step("a file that is not UTF-8", async () => {
    const file = `${world.folder}/latin1.yaml`;
    const text = "session_name: a\nwindows: [ panes: [ 'echo caf\xe9' ] ]\n";
    await Deno.writeFile(file, Uint8Array.from(text, (character) => character.charCodeAt(0)));
    const said = await client.fails("apply-workspace", { file });
    assertEquals(said.code, "invalid-argument");
    assertStringIncludes(said.text, `Cannot read "${file}": line 2 is not UTF-8; save`);
  });

  await t.step("neither or both forms", async () => {
    for (const args of [{}, { file: "x", workspace: "y" }]) {
      const { code, text } = await client.fails("apply-workspace", args);
      assertEquals(code, "invalid-argument");
      assertStringIncludes(text, "file or workspace");
    }
  });
});
