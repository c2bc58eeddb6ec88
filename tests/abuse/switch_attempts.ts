// Ways around switches and tiers: tools that do by another name what is closed.
import { assert, assertEquals } from "@std/assert";
import type { Attempt, Call, Stage, Table } from "./stage.ts";

function attempts(table: Readonly<Record<string, (stage: Stage) => readonly Call[]>>): Attempt[] {
  return Object.entries(table).map(([name, calls]) => ({ name, calls }));
}

export const running: Table = {
  policy: "allow_execute_command and allow_send_keys",
  settings:
    `[security]\nallow_execute_command = false\nallow_send_keys = false\n[server]\nsafety = "destructive"`,
  denied: /security\.allow_(?:execute_command|send_keys) = false/,
  attempts: attempts({
    "execute-command": (
      { inside, canary },
    ) => [["execute-command", { paneId: inside, command: `touch ${canary}` }]],
    "start-and-watch": ({ canary }) => [["start-and-watch", { command: `touch ${canary}` }]],
    "send-keys": (
      { inside, canary },
    ) => [["send-keys", { paneId: inside, keys: `touch ${canary}`, enter: true }]],
    "paste-text": ({ inside, canary }) => [["paste-text", { paneId: inside, text: `touch ${canary}\n` }]],
    "paste-buffer": ({ inside, canary }) => [
      ["set-buffer", { name: "b", content: `touch ${canary}\n` }],
      ["paste-buffer", { paneId: inside, name: "b", bracketed: false }],
    ],
    "send-hex": ({ inside }) => [["send-hex", { paneId: inside, hex: "0d" }]],
    "run-in-repl": ({ inside, canary }) => [["run-in-repl", { paneId: inside, input: `touch ${canary}` }]],
    "create-session": ({ canary }) => [["create-session", { name: "n", command: `touch ${canary}` }]],
    "create-window": ({ canary }) => [["create-window", { sessionId: "in", command: `touch ${canary}` }]],
    "split-pane": ({ inside, canary }) => [["split-pane", { paneId: inside, command: `touch ${canary}` }]],
    "respawn-pane": (
      { inside, canary },
    ) => [["respawn-pane", { paneId: inside, command: `touch ${canary}` }]],
    "a variable": ({ inside }) => [["split-pane", { paneId: inside, environment: { BASH_ENV: "x" } }]],
    "a pipe": ({ inside, canary }) => [["pipe-pane", { paneId: inside, outputPath: canary }]],
    "default-command, then a pane": (
      { canary },
    ) => [["set-option", { option: "default-command", value: `touch ${canary}`, global: true }]],
    "a variable that shells run, then a pane": ({ inside, canary }) => [
      ["split-pane", { paneId: inside }],
      ["set-environment", { name: "PROMPT_COMMAND", value: `touch ${canary}` }],
    ],
    "a variable of a session": (
      { canary },
    ) => [["set-environment", { sessionId: "in", name: "ENV", value: canary }]],
    "a job in the status line": (
      { canary },
    ) => [["set-option", { option: "status-right", value: `#(touch ${canary})`, global: true }]],
    "a job that a time hides in a branch": ({ canary }) => [
      ["set-option", {
        option: "status-right",
        value: `#{?session_name,#%%p(touch ${canary}),}`,
        target: "in",
      }],
    ],
    "a command that a plugin of the user runs": (
      { canary },
    ) => [["set-option", {
      option: "@resurrect-hook-post-save-all",
      value: `touch ${canary}`,
      global: true,
    }]],
    "an alias of a tmux command": (
      { canary },
    ) => [["set-option", {
      option: "command-alias[9]",
      value: `list-panes=run-shell 'touch ${canary}'`,
      scope: "server",
    }]],
  }),
};

/** `execute-command` that types instead of running. */
const typed = attempts(Object.fromEntries(
  ["rawMode", "noEnter"].map((parameter) => [
    `execute-command with ${parameter}`,
    ({ inside, canary }: Stage): readonly Call[] => [
      ["execute-command", { paneId: inside, command: `touch ${canary}\r`, [parameter]: true }],
    ],
  ]),
));

export const switchedTyping: Table = {
  policy: "allow_send_keys",
  settings: `[security]\nallow_send_keys = false`,
  denied: /security\.allow_send_keys = false/,
  attempts: typed,
};

const service = { name: "s", command: "sleep 1000", pattern: "never", timeout: 0 };
const endingSession = {
  "session_name": "w",
  options: { "destroy-unattached": "on" },
  windows: [{ panes: [""] }],
};

/** Sessions that end by tools that kill nothing themselves. */
const ENDINGS: Readonly<Record<string, (stage: Stage) => readonly Call[]>> = {
  "a session ended by moving its only window":
    () => [["move-window", { windowId: "@1", targetSessionId: "in" }]],
  "a session ended by moving its only pane": (
    { inside, outside },
  ) => [["join-pane", { sourcePaneId: outside, targetPaneId: inside }]],
  "an option that ends sessions":
    () => [["set-option", { option: "destroy-unattached", value: "on", target: "out" }]],
};

export const killing: Table = {
  policy: "allow_kill",
  settings: `[security]\nallow_kill = false\n[server]\nsafety = "destructive"`,
  denied: /security\.allow_kill = false/,
  async furnish({ client }) {
    await client.ok("ensure-service", service);
  },
  attempts: attempts({
    "kill-pane": ({ inside }) => [["kill-pane", { paneId: inside }]],
    "respawn-pane": ({ inside }) => [["respawn-pane", { paneId: inside }]],
    ...ENDINGS,
    "stop-service": () => [["stop-service", { name: service.name }]],
    "a service started again": () => [["ensure-service", { ...service, restart: true }]],
    "a service with another command": () => [["ensure-service", { ...service, command: "sleep 1001" }]],
    "a workspace's option that ends sessions": () => [["apply-workspace", { workspace: endingSession }]],
    "a workspace's option that ends all sessions": () => [["apply-workspace", {
      workspace: { ...endingSession, options: {}, "global_options": endingSession.options },
    }]],
  }),
  async proof({ client, world }) {
    const { services } = await client.ok("list-services");
    assertEquals(services.map(({ command, status }: Record<string, string>) => [command, status]), [
      [service.command, "running"],
    ]);
    assertEquals((await world.tmux("list-sessions", "-F", "#{session_name}")).split("\n"), [
      "in",
      "out",
      "tmux-mcp-services",
      "",
    ]);
  },
};

export const listed: Table = {
  policy: "a list that denies typing and killing",
  settings: `[security.tools]\nmode = "deny"\nitems = ["@raw-input", "@kill"]`,
  denied: /security\.tools denies @(?:raw-input|kill)/,
  attempts: [...typed, ...attempts(ENDINGS)],
};

export const unlistedTyping: Table = {
  policy: "a list that allows commands and no typing",
  settings: `[security.tools]\nmode = "allow"\nitems = ["@execute"]`,
  denied: /security\.tools allows only @execute/,
  attempts: typed,
};

export const looking: Table = {
  policy: "readonly",
  settings: `[server]\nsafety = "readonly"`,
  denied: /--safety readonly/,
  attempts: attempts({
    "a session": () => [["create-session", { name: "n" }]],
    "an option": () => [["set-option", { option: "@x", value: "y", global: true }]],
    "a signal": () => [["signal-channel", { channel: "x" }]],
    "a message": () => [["display-message", { message: "x" }]],
    "a recording": ({ inside }) => [["record-pane", { paneId: inside, action: "start" }]],
    "focus": ({ inside }) => [["select-pane", { paneId: inside }]],
  }).concat({
    name: "a job that a time hides in a branch",
    calls: (
      { inside, canary },
    ) => [["expand-format", { format: `#{?session_name,#%p(touch ${canary}),}`, paneId: inside }]],
    denied: /#% can become #\(/,
  }),
  async proof({ client, world, inside }) {
    const before = await world.tmux(
      "list-panes",
      "-a",
      "-F",
      "#{pane_id} #{session_name} #{window_id} #{pane_title} #{pane_in_mode}",
    );
    const { tools } = await client.client.listTools();
    assertEquals(tools.filter((tool) => tool.annotations?.readOnlyHint !== true).map(({ name }) => name), []);
    const file = await client.call("screenshot-pane", { paneId: inside, output: "file" });
    assert(file.isError === true);
    const after = await world.tmux(
      "list-panes",
      "-a",
      "-F",
      "#{pane_id} #{session_name} #{window_id} #{pane_title} #{pane_in_mode}",
    );
    assertEquals(after, before);
  },
};

export const reading: Table = {
  policy: "allow_capture",
  settings: `[security]\nallow_capture = false`,
  denied: /security\.allow_capture = false/,
  attempts: attempts({
    "capture-pane": ({ inside }) => [["capture-pane", { paneId: inside }]],
    "search-panes, question by question": () => [["search-panes", { pattern: "^S" }]],
    "wait-for-text, question by question": (
      { inside },
    ) => [["wait-for-text", { paneId: inside, pattern: "S", timeout: 0 }]],
    "a search of a screen, told by a window's name":
      () => [["set-option", { option: "automatic-rename-format", value: "#{C:SECRET}", target: "@0" }]],
    "a format that searches": ({ inside }) => [["expand-format", { format: "#{C/r:^S}", paneId: inside }]],
    "a format of copy mode": (
      { inside },
    ) => [["expand-format", { format: "#{copy_cursor_line}", paneId: inside }]],
    "a pipe into a file": (
      { inside, world },
    ) => [["pipe-pane", { paneId: inside, outputPath: `${world.folder}/allowed/x` }]],
    "a recording": ({ inside }) => [["record-pane", { paneId: inside, action: "start" }]],
    "a picture": ({ inside }) => [["screenshot-pane", { paneId: inside, output: "svg" }]],
    "a buffer": () => [["show-buffer"]],
  }),
  async proof({ client, inside }) {
    assertEquals((await client.ok("watch-pane", { paneId: inside, timeout: 0 })).cursor, undefined);
    const failing = {
      "session_name": "w",
      "before_script": "echo SEC''RET; false",
      windows: [{ panes: [""] }],
    };
    const { code, text } = await client.fails("apply-workspace", { workspace: failing });
    assertEquals([code, text.includes("SECRET")], ["invalid-argument", false], text);
    for (const uri of ["tmux://pane/%250", "tmux://pane/%250/tail/5", "tmux://panes/%250/content"]) {
      assertEquals(await client.client.readResource({ uri }).then(() => 0, (error) => error.code), -32003);
    }
  },
};

export const listing: Table = {
  policy: "allow_list",
  settings: `[security]\nallow_list = false`,
  denied: /security\.allow_list = false/,
  attempts: attempts(Object.fromEntries<(stage: Stage) => readonly Call[]>([
    ...[
      "#{S:#{session_name}}",
      "#{S:#{W:#{P:#{pane_id}}}}",
      "#{L:#{client_tty}}",
      "#{N/s:out}",
      "#{server_sessions}",
      "#{next_session_id}",
    ].map((
      format,
    ) => [format, () => [["expand-format", { format }] as const]] as const),
    ...[
      "list-sessions",
      "list-windows",
      "list-panes",
      "list-clients",
      "list-buffers",
      "list-servers",
      "show-hooks",
      "get-current-session",
    ]
      .map((tool) => [tool, () => [[tool] as const]] as const),
    ["every pane, by what it shows", () => [["search-panes", { pattern: ".", regex: true }]]],
    ["every buffer, by what it holds", () => [["search-buffer", { query: "e" }]]],
  ])),
  async proof({ client, inside }) {
    await client.ok("search-panes", { pattern: "x", paneIds: [inside] });
    await client.ok("set-buffer", { name: "b", content: "x" });
    await client.ok("search-buffer", { query: "x", buffer: "b" });
    assertEquals((await client.ok("get-server-info")).sessions, undefined);
    const { contents } = await client.client.readResource({ uri: "tmux://server/info" });
    assertEquals(JSON.parse((contents as { text: string }[])[0]!.text).sessions, undefined);
    assertEquals((await client.client.listResources()).resources, []);
    const { completion } = await client.client.complete({
      ref: { type: "ref/prompt", name: "build-dev-workspace" },
      argument: { name: "sessionName", value: "" },
    }).catch(() => ({ completion: { values: [] } }));
    assertEquals(completion.values, []);
    for (const uri of ["tmux://sessions", "tmux://sessions/in", "tmux://panes/%250"]) {
      assertEquals(await client.client.readResource({ uri }).then(() => 0, (error) => error.code), -32003);
    }
  },
};
