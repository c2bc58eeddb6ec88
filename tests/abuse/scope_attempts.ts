// Ways to what is out of scope: other sessions, sockets and files, and to what this server did not make.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { type Attempt, type Call, exists, type Stage, type Table } from "./stage.ts";

type Named = Readonly<Record<string, (stage: Stage) => readonly Call[]>>;

function attempts(table: Named, denied?: RegExp): Attempt[] {
  return Object.entries(table).map(([name, calls]) => ({ name, calls, ...(denied ? { denied } : {}) }));
}

/** The session "out" is $1 with @1 and %1. */
const OUT = { sessionId: "$1", windowId: "@1", paneId: "%1" } as const;

export const sessions: Table = {
  policy: "allowed_sessions",
  settings: `[security]\nallowed_sessions = ["in"]\n[server]\nsafety = "destructive"`,
  denied: /security\.allowed_sessions/,
  async furnish({ world, outside }) {
    await world.tmux("set-buffer", "-b", "person", "SECRET");
    await world.tmux("new-window", "-d", "-t", "in:", "-n", "linked", "cat");
    await world.tmux("link-window", "-d", "-s", "@2", "-t", "out:");
    await world.tmux("send-keys", "-t", outside, "echo SEC''RET; tmux wait-for -S shown", "Enter");
    await world.tmux("wait-for", "shown");
  },
  attempts: attempts({
    "a session by its name": () => [["get-session-info", { sessionId: "out" }]],
    "a session by its id": () => [["get-session-info", { sessionId: OUT.sessionId }]],
    "a window by its index": () => [["get-window-info", { sessionId: "out", windowIndex: 0 }]],
    "a window of a session that is not its own":
      () => [["select-window", { windowId: OUT.windowId, sessionId: "in" }]],
    "one pane among allowed ones": (
      { inside },
    ) => [["watch-pane", { paneIds: [inside, OUT.paneId], timeout: 0 }]],
    "one pane among those to search": (
      { inside },
    ) => [["search-panes", { pattern: "x", paneIds: [inside, OUT.paneId] }]],
    "a cursor that names the pane": () => [["capture-since", { cursor: `${OUT.paneId}:0:0:0` }]],
    "a format with another session in it": () => [["expand-format", { format: "#{S:#{session_name}}" }]],
    "a format that asks whether a name exists": () => [["expand-format", { format: "#{N/s:out}" }]],
    "a format that lists where a window is linked": (
      { inside },
    ) => [["expand-format", { format: "#{window_linked_sessions_list}", paneId: inside }]],
    "a format that counts where a window is linked": (
      { inside },
    ) => [["expand-format", { format: "#{window_linked_sessions}", paneId: inside }]],
    "a format that tells whether a window is seen in another session": (
      { inside },
    ) => [["expand-format", { format: "#{window_active_sessions}", paneId: inside }]],
    "a format that counts the sessions of a group": (
      { inside },
    ) => [["expand-format", { format: "#{session_group_size}", paneId: inside }]],
    "a format that counts sessions": () => [["expand-format", { format: "#{server_sessions}" }]],
    "a format that counts all sessions that there were":
      () => [["expand-format", { format: "#{next_session_id}" }]],
    "a format that names the group of a session": (
      { inside },
    ) => [["expand-format", { format: "#{session_group}", paneId: inside }]],
    "a format that names the last session of a person": (
      { inside },
    ) => [["expand-format", { format: "#{client_last_session}", paneId: inside }]],
    "a format that names the session of a person who is attached elsewhere": ({ inside }) => [
      ["expand-format", { format: "#{client_session}", paneId: inside }],
    ],
    "a format that names the terminal of a person": (
      { inside },
    ) => [["expand-format", { format: "#{?client_prefix,x,#{client_tty}}", paneId: inside }]],
    "a format of others in a window's name": () => [
      ["set-option", { option: "automatic-rename-format", value: "#{S:#{session_name} }", target: "@0" }],
    ],
    "a buffer on a dead pane's screen": ({ inside }) => [
      ["set-option", { option: "remain-on-exit-format", value: "#{buffer_sample}", target: inside }],
    ],
    "a format that names the newest buffer": () => [["expand-format", { format: "#{buffer_name}" }]],
    "join from outside": ({ inside }) => [["join-pane", { sourcePaneId: OUT.paneId, targetPaneId: inside }]],
    "join to outside": ({ inside }) => [["join-pane", { sourcePaneId: inside, targetPaneId: OUT.paneId }]],
    "swap": ({ inside }) => [["swap-pane", { sourcePaneId: inside, targetPaneId: OUT.paneId }]],
    "move a window out": () => [["move-window", { windowId: "@0", targetSessionId: "out" }]],
    "move a window in": () => [["move-window", { windowId: OUT.windowId, targetSessionId: "in" }]],
    "break a pane out": () => [["break-pane", { paneId: OUT.paneId }]],
    "rename into the list": () => [["rename-session", { sessionId: "out", newName: "in" }]],
    "rename out of the list": () => [["rename-session", { sessionId: "in", newName: "free" }]],
    "a new session": () => [["create-session", { name: "free" }]],
    "a new session without a name": () => [["create-session", {}]],
    "a new session for a command": () => [["start-and-watch", { command: "true" }]],
    "the session outside, as if it were new": () => [["create-session", { name: "out" }]],
    "an option of everything": () => [["set-option", { option: "@x", value: "y", global: true }]],
    "an option of the server":
      () => [["set-option", { option: "exit-empty", value: "off", scope: "server" }]],
    "an option outside": () => [["set-option", { option: "@x", value: "y", target: "out" }]],
    "a variable of everything": () => [["set-environment", { name: "X", value: "y" }]],
    "a variable outside": () => [["set-environment", { name: "X", value: "y", sessionId: "out" }]],
    "the variables outside": () => [["show-environment", { sessionId: "out" }]],
    "a message to everyone": () => [["display-message", { message: "x" }]],
    "a message outside": () => [["display-message", { message: "x", paneId: OUT.paneId }]],
    "text on a screen outside": () => [["write-to-display", { paneId: OUT.paneId, text: "x" }]],
    "everything ended": () => [["kill-server"]],
    "a buffer that a person has": () => [["show-buffer", { name: "person" }]],
    "the newest buffer, whoever's": () => [["show-buffer"]],
    "a person's buffer, searched": () => [["search-buffer", { query: "e", buffers: ["person"] }]],
    "a person's buffer, around a match": () => [["subsearch-buffer", { query: "e", matchId: "person:0+1" }]],
    "a person's buffer, replaced": () => [["set-buffer", { name: "person", content: "x" }]],
    "a person's buffer, added to": () => [["append-buffer", { name: "person", content: "x" }]],
    "a person's buffer, renamed": () => [["rename-buffer", { from: "person", to: "mine" }]],
    "a person's buffer, deleted": () => [["delete-buffer", { name: "person" }]],
    "a person's buffer, pasted": ({ inside }) => [["paste-buffer", { paneId: inside, name: "person" }]],
    "a person's buffer, in a file": (
      { world },
    ) => [["save-buffer", { name: "person", path: `${world.folder}/allowed/b` }]],
    "a linked window ended": () => [["kill-window", { windowId: "@2" }]],
    "a linked pane ended": () => [["kill-pane", { paneId: "%2" }]],
  }),
  async proof({ client, world, outside }) {
    const all = [
      await client.ok("list-sessions"),
      await client.ok("list-windows"),
      await client.ok("list-panes"),
      await client.ok("list-clients"),
      await client.ok("list-buffers"),
      await client.ok("find-session", { name: "*" }),
      await client.ok("search-buffer", { query: "e" }),
      await client.ok("search-panes", { pattern: "SECRET", history: "all" }),
      await client.client.listResources(),
      ...await Promise.all(["sessionName", "paneId"].map((name) =>
        client.client.complete({
          ref: {
            type: "ref/prompt",
            name: name === "paneId" ? "diagnose-failing-pane" : "build-dev-workspace",
          },
          argument: { name, value: "" },
        })
      )),
    ];
    const text = JSON.stringify(all);
    for (const trace of [`"out"`, "person", `"${outside}"`, `"$1"`, `"@1"`]) {
      assert(!text.includes(trace), `${trace} in ${text}`);
    }
    // Counts would reveal, query by query, the text of a pane out of scope.
    assertEquals(all[7].total, 0);
    for (
      const uri of [
        "tmux://pane/%251",
        "tmux://sessions/out",
        "tmux://session/$1/tree",
        "tmux://panes/%251/content",
        "tmux://window/@1/info",
      ]
    ) {
      const code = await client.client.readResource({ uri }).then(() => 0, (error) => error.code);
      assertEquals([uri, code], [uri, -32003]);
      assertEquals(
        await client.client.subscribeResource({ uri }).then(() => 0, (error) => error.code),
        -32003,
      );
    }
    // Whatever is current, and wherever else a window is linked.
    await world.tmux("new-session", "-d", "-s", "last", "cat");
    const format = "#{session_name}";
    assertEquals((await client.ok("expand-format", { format, paneId: "%2" })).value, "in");
    assertEquals((await client.fails("expand-format", { format })).code, "invalid-argument");
    // Global options and hooks can be read, and a window made in scope is in scope.
    await client.ok("show-option", { option: "base-index", global: true });
    await client.ok("show-environment");
    await client.ok("show-hooks", { global: true });
    await client.ok("signal-channel", { channel: "x" });
    const made = await client.ok("create-window", { sessionId: "in", command: "cat" });
    await client.ok("capture-pane", { paneId: made.paneId });
    // The link of the allowed session moves, not the other's.
    const before = await world.tmux("list-windows", "-t", "=out:", "-F", "#{window_id}");
    await client.ok("move-window", { windowId: "@2", targetIndex: 40 });
    assertEquals(await world.tmux("list-windows", "-t", "=out:", "-F", "#{window_id}"), before);
    assertEquals((await world.tmux("show-buffer", "-b", "person")).trim(), "SECRET");
  },
};

export const panes: Table = {
  policy: "allowed_panes",
  settings: `[security]\nallowed_panes = ["%0"]\n[server]\nsafety = "destructive"`,
  async furnish({ world }) {
    await world.tmux("split-window", "-d", "-t", "%0", "cat");
    await world.tmux("new-window", "-d", "-t", "in:", "cat");
    await world.tmux("rename-window", "-t", "@0", "w");
  },
  denied: /security\.allowed_panes/,
  attempts: attempts({
    "the pane beside it": () => [["capture-pane", { paneId: "%2" }]],
    "how many panes are beside it": (
      { inside },
    ) => [["expand-format", { format: "#{window_panes}", paneId: inside }]],
    ...Object.fromEntries(
      ["session_stack", "session_alerts", "last_window_index", "active_window_index", "window_end_flag"].map((
        name,
      ) => [
        `the windows beside its own, by ${name}`,
        ({ inside }: Stage): readonly Call[] => [["expand-format", { format: `#{${name}}`, paneId: inside }]],
      ]),
    ),
    "how its window is divided": (
      { inside },
    ) => [["expand-format", { format: "#{window_layout}", paneId: inside }]],
    "keys to all panes of its window": () => [["set-synchronize-panes", { windowId: "@0", enabled: true }]],
    "keys to all panes, as an option":
      () => [["set-option", { option: "synchronize-panes", value: "on", target: "@0" }]],
    "the window with it": () => [["kill-window", { windowId: "@0" }]],
    "the session with it": () => [["kill-session", { sessionId: "in" }]],
    "a new session": () => [["create-session", { name: "free" }]],
    "whether a pattern matches the pane beside it": () => [["apply-workspace", {
      workspace: {
        session_name: "in",
        windows: [{ window_name: "w", panes: [null, { ready: { pattern: "^SECRET", timeout: 0 } }] }],
      },
    }]],
    "the focus to the pane beside it": () => [["select-pane", { windowId: "@0", direction: "next" }]],
    "the focus to the window beside it": () => [["select-window", { sessionId: "in", direction: "next" }]],
    "a variable of the panes beside it":
      () => [["set-environment", { sessionId: "in", name: "PROMPT_COMMAND", value: "date" }]],
    "a swap that brings another in its place":
      () => [["swap-pane", { sourcePaneId: "%0", targetPaneId: "%2" }]],
  }),
  async proof({ client, world, inside }) {
    assertEquals((await world.tmux("display-message", "-p", "-t", "in:", "#{pane_id}")).trim(), inside);
    const { paneId } = await client.ok("split-pane", { paneId: inside, command: "cat" });
    await client.ok("capture-pane", { paneId });
    const frozen = JSON.parse(await client.ok("freeze-workspace", { sessionId: "in", format: "json" }));
    const shown = frozen.windows.map((window: { panes: unknown[]; layout?: string }) => [
      window.panes.length,
      window.layout,
    ]);
    assertEquals(shown, [[2, undefined]]);
    const { panes } = await client.ok("list-panes");
    assertEquals(panes.map(({ id }: { id: string }) => id).sort(), [inside, paneId].sort());
    for (const [filters, count] of [[{ panes: 2 }, 1], [{ panes: 3 }, 0], [{ layout__contains: "," }, 0]]) {
      assertEquals((await client.ok("list-windows", { filters })).windows.length, count);
    }
    assertEquals((await client.ok("list-sessions", { filters: { windows: 1 } })).sessions.length, 1);
    const layout = { windowId: "@0", layout: "a87d,100x30,0,0,0" };
    assertMatch((await client.fails("select-layout", layout)).text, /: it has fewer panes than the window\./);
  },
};

export const sockets: Table = {
  policy: "allowed_sockets",
  settings: `[security]\nallowed_sockets = ["FOLDER/tmux.sock"]`,
  denied: /security\.allowed_sockets/,
  attempts: attempts({
    "another socket by its path": (
      { world },
    ) => [["list-sessions", { socket: `${world.folder}/other.sock` }]],
    "another socket by its name": () => [["list-sessions", { socket: "other" }]],
    "the same file by another path": (
      { world },
    ) => [["list-sessions", { socket: `${world.folder}/x/../tmux.sock` }]],
    "a socket to look at": (
      { world },
    ) => [["list-servers", { extraSocketPaths: [`${world.folder}/other.sock`] }]],
    "a new server": ({ world }) => [["create-session", { socket: `${world.folder}/new.sock` }]],
  }),
  async proof({ client, world }) {
    const { servers } = await client.ok("list-servers");
    assertEquals(servers.filter(({ socket }: { socket: string }) => !socket.endsWith("/tmux.sock")), []);
    const uri = `tmux://sessions?socket=${encodeURIComponent(`${world.folder}/other.sock`)}`;
    assertEquals(await client.client.readResource({ uri }).then(() => 0, (error) => error.code), -32003);
    assert(!await exists(`${world.folder}/new.sock`));
  },
};

/** Every tool that takes a path, with where the path goes. */
function reaching(path: (stage: Stage) => string): Named {
  return {
    "save-buffer": (
      stage,
    ) => [["set-buffer", { name: "b", content: "x" }], ["save-buffer", { name: "b", path: path(stage) }]],
    "load-buffer": (stage) => [["load-buffer", { name: "c", path: path(stage) }]],
    "pipe-pane": (stage) => [["pipe-pane", { paneId: stage.inside, outputPath: path(stage) }]],
    "record-pane": (
      stage,
    ) => [["record-pane", { paneId: stage.inside, action: "start", outputPath: path(stage) }]],
    "screenshot-pane": (
      stage,
    ) => [["screenshot-pane", { paneId: stage.inside, output: "file", path: path(stage) }]],
  };
}

const PATHS: Readonly<Record<string, (folder: string) => string>> = {
  "an absolute path": (folder) => `${folder}/secret`,
  "..": (folder) => `${folder}/allowed/../secret`,
  "a path that begins like an allowed one": (folder) => `${folder}/allowed-not/x`,
  "a link": (folder) => `${folder}/allowed/link`,
  "a folder that is a link": (folder) => `${folder}/allowed/up/secret`,
  "a link that leads nowhere yet": (folder) => `${folder}/allowed/dangling`,
  "a link to a link that leads nowhere yet": (folder) => `${folder}/allowed/twice`,
  "/proc": (folder) => `/proc/self/root${folder}/secret`,
  "the working folder": () => "secret",
};

export const paths: Table = {
  policy: "allowed paths",
  settings:
    `[security]\nallowed_buffer_paths = ["FOLDER/allowed"]\nallowed_output_paths = ["FOLDER/allowed"]\n[audit]\npath = "FOLDER/allowed/audit"\n[durable]\npath = "FOLDER/allowed/records"`,
  denied: /security\.allowed_(?:buffer|output)_paths/,
  async furnish({ world: { folder } }) {
    await Deno.writeTextFile(`${folder}/secret`, "untouched");
    await Deno.symlink(`${folder}/secret`, `${folder}/allowed/link`);
    await Deno.symlink("..", `${folder}/allowed/up`);
    await Deno.symlink(`${folder}/nowhere`, `${folder}/allowed/dangling`);
    await Deno.symlink("dangling", `${folder}/allowed/twice`);
    await Deno.symlink(`${folder}/config.toml`, `${folder}/allowed/own`);
    await Deno.link(`${folder}/config.toml`, `${folder}/allowed/hard`);
  },
  attempts: [
    ...Object.entries(PATHS).flatMap(([name, path]) =>
      attempts(reaching(({ world }) => path(world.folder))).map((each) => ({
        ...each,
        name: `${each.name}: ${name}`,
      }))
    ),
    ...Object.entries({
      "the audit log": "audit",
      "a link to the configuration": "own",
      "a hard link to the configuration": "hard",
      "a file among the records": "records/x",
    })
      .flatMap(([name, file]) =>
        attempts(
          reaching(({ world }) => `${world.folder}/allowed/${file}`),
          /this server uses that file itself/,
        ).map((each) => ({ ...each, name: `${each.name}: ${name}` }))
      ),
  ],
  async proof({ world: { folder } }) {
    assertEquals(await Deno.readTextFile(`${folder}/secret`), "untouched");
    assert(!await exists(`${folder}/nowhere`));
    assert((await Deno.readTextFile(`${folder}/allowed/audit`)).includes('"decision":"denied"'));
  },
};

export const ownership: Table = {
  policy: "mutating",
  settings: "",
  denied: /--safety mutating/,
  async furnish({ world }) {
    await world.tmux("set-buffer", "-b", "person", "SECRET");
    const other = await world.serve({ args: ["--instance", "other"] });
    await other.ok("ensure-service", { name: "theirs", command: "sleep 1000", pattern: "never", timeout: 0 });
  },
  attempts: attempts({
    "another server's service": () => [["stop-service", { name: "theirs" }]],
    "another server's service, started again":
      () => [["ensure-service", { name: "theirs", command: "sleep 1000", restart: true, timeout: 0 }]],
    "another server's service, with another command":
      () => [["ensure-service", { name: "theirs", command: "sleep 1", timeout: 0 }]],
    "kill-session": () => [["kill-session", { sessionId: "out" }]],
    "kill-session by id": () => [["kill-session", { sessionId: "$1" }]],
    "kill-window": () => [["kill-window", { windowId: "@1" }]],
    "kill-pane": () => [["kill-pane", { paneId: "%1" }]],
    "kill-server": () => [["kill-server"]],
    "detach-client": () => [["detach-client", { clientTty: "/dev/pts/0" }]],
    "a session ended by moving its only window":
      () => [["move-window", { windowId: "@1", targetSessionId: "in" }]],
    "a session ended by moving its only pane":
      () => [["join-pane", { sourcePaneId: "%1", targetPaneId: "%0" }]],
    "respawn-pane": () => [["respawn-pane", { paneId: "%1" }]],
    "clear-pane": () => [["clear-pane", { paneId: "%1" }]],
    "a pane that was joined to one of ours": () => [
      ["create-session", { name: "ours" }],
      ["rename-pane", { paneId: "%1", title: "ours" }],
      ["kill-pane", { paneId: "%1" }],
    ],
    "a person's buffer": () => [["delete-buffer", { name: "person" }]],
    "a person's buffer, once it was saved": ({ world }) => [
      ["save-buffer", { name: "person", path: `${world.folder}/b` }],
      ["delete-buffer", { name: "person" }],
    ],
    "a person's buffer, once it was added to": () => [
      ["append-buffer", { name: "person", content: "x" }],
      ["delete-buffer", { name: "person" }],
    ],
    "a person's buffer, once it was renamed": () => [
      ["rename-buffer", { from: "person", to: "mine" }],
      ["delete-buffer", { name: "mine" }],
    ],
    "an option that ends sessions":
      () => [["set-option", { option: "destroy-unattached", value: "on", target: "out" }]],
    "an option that ends sessions, for all":
      () => [["set-option", { option: "destroy-unattached", value: "on", global: true }]],
    "an option that ends the server":
      () => [["set-option", { option: "exit-unattached", value: "on", scope: "server" }]],
  }),
  async proof({ client, world }) {
    const marks = [{ target: "out" }, { target: "@1" }, { target: "%1" }, { global: true }];
    for (const place of marks) {
      const option = { option: "@tmux_mcp_owner", value: "tmux-mcp:default", ...place };
      assertEquals((await client.fails("set-option", option)).code, "denied");
    }
    assertEquals(await world.tmux("list-panes", "-t", "=out:", "-F", "#{pane_id} #{pane_dead}"), "%1 0\n");
  },
};
