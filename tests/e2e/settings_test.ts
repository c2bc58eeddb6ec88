// The user's own tmux settings, shell and environment: whatever they are, the same calls give the same results.
import { existsSync } from "node:fs";
import { assert, assertEquals } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { PersonAtTerminal } from "../support/person.ts";
import { type TestClient, World } from "../support/world.ts";

const test = inTurnOnOneServer("settings");

/** A new session's shell, once it waits for input. */
async function shell(client: TestClient, args: Record<string, unknown> = {}): Promise<string> {
  const { paneId } = await client.ok("create-session", { name: "s", width: 100, height: 30, ...args });
  await untilWaiting(client, paneId);
  return paneId;
}

async function untilWaiting(client: TestClient, paneId: string): Promise<void> {
  const { event } = await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 30 });
  assertEquals(event, "user_input");
}

/** The commonest calls of an agent, on a server that reads the user's settings. */
async function work(client: TestClient): Promise<void> {
  const paneId = await shell(client);
  const { sessions } = await client.ok("list-sessions");
  assertEquals(sessions.map(({ name }: { name: string }) => name), ["s"]);
  const { exitCode, output } = await client.ok("execute-command", {
    paneId,
    command: "echo a; echo b; false",
  });
  assertEquals([exitCode, output], [1, "a\nb"]);
  assertEquals((await client.ok("execute-command", { paneId, command: "seq 1 3000" })).exitCode, 0);

  const split = await client.ok("split-pane", { paneId, command: "cat" });
  const { windowId } = await client.ok("create-window", {
    sessionId: sessions[0].id,
    name: "w",
    command: "cat",
  });
  const { panes } = await client.ok("list-panes", {});
  assertEquals(panes.length, 3);
  assertEquals((await client.ok("rename-window", { windowId, newName: "new" })).name, "new");
  await client.ok("send-keys", { paneId: split.paneId, keys: "typed", enter: true });
  assert((await client.ok("wait-for-text", { paneId: split.paneId, pattern: "typed" })).found);
  await client.ok("paste-text", { paneId: split.paneId, text: "pasted\n" });
  assert((await client.ok("wait-for-text", { paneId: split.paneId, pattern: "pasted" })).found);

  const watch = client.ok("watch-pane", { paneId: split.paneId, triggers: "exit", timeout: 30 });
  await client.untilWatching();
  await client.ok("kill-pane", { paneId: split.paneId });
  assert(["gone", "exit"].includes((await watch).event));
  assertEquals(await client.ok("kill-window", { windowId }), { killed: windowId });
  const ended = await client.ok("execute-command", { paneId, command: "exit 7" });
  assertEquals([ended.exitCode, ended.paneAlive], [7, false]);
}

const SETTINGS: Record<string, string[]> = {
  "everything changed that people change": [
    ...["set -g base-index 1", "setw -g pane-base-index 1", "set -g renumber-windows on"],
    ...["set -g set-titles on", "set -g mouse on", "set -g prefix C-a", "unbind C-b", "set -g status off"],
    ...["set -s exit-empty off", "set -g detach-on-destroy off", "set -g default-terminal screen-256color"],
    ...["setw -g allow-passthrough on", "set -s set-clipboard on", "set -s focus-events on"],
    ...["setw -g mode-keys vi", "set -g status-keys vi", "setw -g aggressive-resize on"],
    ...["setw -g automatic-rename off", "setw -g allow-rename on", "setw -g window-size smallest"],
    ...["setw -g monitor-activity on", "setw -g monitor-silence 1", "set -g visual-activity both"],
    ...["set -g history-limit 100000", "set -s escape-time 0"],
  ],
  "two status rows on top, borders with text, no history": [
    ...["set -g status 2", "set -g status-position top", "set -g history-limit 0"],
    ...["setw -g pane-border-status top", "setw -g pane-border-format '#P #{pane_title}'"],
  ],
  "hooks on everything, bash as default-command": [
    "set-hook -g after-new-window 'display-message hooked'",
    "set-hook -g after-split-window 'select-layout tiled'",
    "set-hook -g client-attached 'display-message attached'",
    "set-hook -g session-created 'set -g @seen 1'",
    "set-hook -g after-send-keys 'set -g @typed 1'",
    "set -g default-command 'exec bash --norc --noprofile'",
  ],
};

for (const name of ["fish", "zsh"]) {
  const path = ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin"].map((folder) =>
    `${folder}/${name}`
  )
    .find((path) => existsSync(path));
  if (path !== undefined) SETTINGS[`${name} as default-shell`] = [`set -g default-shell ${path}`];
}

for (const [what, lines] of Object.entries(SETTINGS)) {
  test(`an agent's work under the user's settings: ${what}`, async ({ world, client }) => {
    await Deno.writeTextFile(`${world.folder}/.tmux.conf`, lines.join("\n") + "\n");
    await work(client);
  });
}

test("an agent's work under remain-on-exit: what ended stays to be read", async ({ world, client }) => {
  await Deno.writeTextFile(`${world.folder}/.tmux.conf`, "setw -g remain-on-exit on\n");
  const paneId = await shell(client);
  const ended = await client.ok("execute-command", { paneId, command: "echo last; exit 7" });
  assertEquals([ended.exitCode, ended.paneAlive], [7, false]);
  assertEquals((await client.ok("get-pane-info", { paneId })).dead, true);
  await client.ok("kill-pane", { paneId });
});

test("a line in the settings that tmux does not know is shown in the first pane, and told to who types there", async ({ world, client }) => {
  await Deno.writeTextFile(`${world.folder}/.tmux.conf`, "set -g no-such-option on\n");
  const { paneId } = await client.ok("create-session", { command: "exec bash --norc --noprofile" });
  // tmux 3.8 shows it to people who attach only.
  if ((await client.ok("get-pane-info", { paneId })).inMode) {
    const { code, hint } = await client.fails("execute-command", { paneId, command: "true" });
    assertEquals([code, hint], ["busy", "Leave it with exit-copy-mode"]);
    await client.ok("exit-copy-mode", { paneId });
  }
  await untilWaiting(client, paneId);
  assertEquals((await client.ok("execute-command", { paneId, command: "true" })).exitCode, 0);
});

test("destroy-unattached: what create-session makes stays, named or not", async ({ world, client }) => {
  await Deno.writeTextFile(
    `${world.folder}/.tmux.conf`,
    "set -g destroy-unattached on\nset -s exit-empty off\n",
  );
  const made = [await client.ok("create-session", { name: "t" }), await client.ok("create-session", {})];
  const { sessions } = await client.ok("list-sessions");
  const ids = (of: { sessionId?: string; id?: string }[]): unknown[] =>
    of.map(({ sessionId, id }) => sessionId ?? id);
  assertEquals(ids(sessions).sort(), ids(made).sort());
});

test("exit-unattached: create-session names it, unless a person keeps the server", async ({ world, client }) => {
  await Deno.writeTextFile(`${world.folder}/.tmux.conf`, "set -s exit-unattached on\n");
  for (const args of [{ name: "t" }, {}, { command: "exec cat" }]) {
    const { code, text, hint } = await client.fails("create-session", args);
    assertEquals(
      [code, /exit-unattached/.test(text), /attach/.test(hint!)],
      ["tmux-error", true, true],
      text,
    );
  }
  const line = `tmux -S ${world.socket} -f ${world.folder}/.tmux.conf new-session -s person`;
  await using _person = await PersonAtTerminal.attach(world, { line });
  const { sessionId } = await client.ok("create-session", { name: "t" });
  assertEquals((await client.ok("get-session-info", { sessionId })).name, "t");
});

const ENVIRONMENTS: Record<string, Record<string, string>> = {
  "TERM unset": { TERM: "" },
  "TERM unknown": { TERM: "no-such-terminal" },
  "the C locale": { LC_ALL: "C", LANG: "C" },
  "a locale that is not there": { LC_ALL: "xx_YY.UTF-8" },
  "no HOME, no SHELL": { HOME: "", SHELL: "" },
};

for (const [what, env] of Object.entries(ENVIRONMENTS)) {
  Deno.test(`an agent's work under the environment: ${what}`, async () => {
    await using world = await World.create();
    const client = await world.serve({ env });
    const paneId = await shell(client, { name: "grüße" });
    const { exitCode, output } = await client.ok("execute-command", {
      paneId,
      command: "printf '%s\\n' é漢",
    });
    assertEquals([exitCode, output], [0, "é漢"]);
    const { sessions } = await client.ok("list-sessions");
    assertEquals(sessions.map(({ name }: { name: string }) => name), ["grüße"]);
  });
}
