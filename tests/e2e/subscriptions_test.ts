// Notifications that subscribed clients get when resources change; no client is attached for them.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { PersonAtTerminal } from "../support/person.ts";
import { Notices } from "../support/notices.ts";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { envelope, RawClient } from "../support/raw_client.ts";
import { code, read, rig } from "../support/read_resources.ts";
import { until } from "../support/until.ts";
import { World } from "../support/world.ts";

const test = inTurnOnOneServer("subscriptions");

test("subscribe is advertised, and sent", async ({ world, client }) => {
  const { paneId } = await rig(client);
  const notices = new Notices(client);
  const content = `tmux://panes/${paneId}/content`;
  await client.client.subscribeResource({ uri: content });
  await client.client.subscribeResource({ uri: "tmux://sessions" });
  assertEquals(await code(client.client.subscribeResource({ uri: "tmux://pane/%99" })), -32002);

  await world.tmux("send-keys", "-t", paneId, "hello", "Enter");
  await notices.until(() => notices.updated.includes(content));
  assertMatch((await read(client, content)).text, /hello/);
  assertEquals(notices.updated, [content], "nothing is sent that did not change");

  await world.tmux("rename-session", "-t", "=wörk 1", "renamed");
  await notices.until(() => notices.updated.includes("tmux://sessions"));
  assertEquals((await client.ok("list-sessions")).sessions[0].attached, false, "our clients are nobody's");
  assertEquals((await client.ok("list-clients", {}).catch(() => ({ clients: [] }))).clients, []);

  await client.client.unsubscribeResource({ uri: content });
  // Sent before the answer to the first.
  await Promise.all([
    client.client.subscribeResource({ uri: content }),
    client.client.unsubscribeResource({ uri: content }),
  ]);
  const text = `tmux://pane/${paneId}`;
  await client.client.subscribeResource({ uri: text });
  notices.updated.length = 0;
  await world.tmux("send-keys", "-t", paneId, "more", "Enter");
  await notices.until(() => notices.updated.includes(text));
  await world.tmux("new-session", "-d", "-s", "second", "exec sleep 1000");
  await notices.until(() => notices.updated.includes("tmux://sessions"));
  assert(!notices.updated.includes(content));
});

test("output is an update in a folder with a tab and a line break in its name", async ({ world, client }) => {
  const notices = new Notices(client);
  const startDirectory = `${world.folder}/a\tb\nc`;
  await Deno.mkdir(startDirectory);
  const { paneId } = await client.ok("create-session", { startDirectory, command: "exec cat" });
  const uri = `tmux://pane/${paneId}`;
  const described = ["display-message", "-p", "-t", paneId, "#{pane_current_command} #{pane_current_path}"];
  await until(async () => await world.tmux(...described) === `cat ${startDirectory}\n`);
  // A change of its name would be an update too.
  await world.tmux("set-option", "-w", "-t", paneId, "automatic-rename", "off");
  await client.client.subscribeResource({ uri });
  for (const key of ["a", "b", "c"]) {
    notices.updated.length = 0;
    await world.tmux("send-keys", "-t", paneId, key);
    await notices.until(() => notices.updated.includes(uri));
  }
});

test("a pane's end and a command's end are updates", async ({ world, client }) => {
  const notices = new Notices(client);
  const { paneId } = await client.ok("create-session", { name: "w", command: "bash --norc" });
  await client.ok("create-session", { name: "keeps-the-server", command: "exec sleep 1000" });
  const { commandId } = await client.ok("execute-command", {
    paneId,
    command: "read -r line; echo got $line",
    background: true,
  });
  const result = `tmux://command/${commandId}/result`;
  await until(async () => {
    const { status, waiting } = (await read(client, result)).json;
    return status === "waiting" && waiting.inputKind === "line";
  });
  await client.client.subscribeResource({ uri: result });
  await client.client.subscribeResource({ uri: `tmux://panes/${paneId}` });
  await world.tmux("send-keys", "-t", paneId, "x", "Enter");
  await until(async () => {
    await notices.until(() => notices.updated.includes(result));
    notices.updated.length = 0;
    return (await read(client, result)).json.status === "completed";
  });
  assertEquals((await read(client, result)).json.output, "x\ngot x");
  await world.tmux("kill-pane", "-t", paneId);
  await notices.until(() => notices.updated.includes(`tmux://panes/${paneId}`));
  assertEquals(await code(read(client, `tmux://panes/${paneId}`)), -32002);
});

test("the time that a command takes is no update", async ({ world, client }) => {
  const notices = new Notices(client);
  const { paneId } = await client.ok("create-session", { name: "first", command: "bash --norc" });
  const command = "sleep 1000";
  const { commandId } = await client.ok("execute-command", { paneId, command, background: true });
  const result = `tmux://command/${commandId}/result`;
  await client.client.subscribeResource({ uri: result });
  await client.client.subscribeResource({ uri: "tmux://sessions" });
  let name = "first";
  const rename = async (to: string): Promise<void> => {
    notices.updated.length = 0;
    await world.tmux("rename-session", "-t", `=${name}`, to);
    await notices.until(() => notices.updated.includes("tmux://sessions"));
    name = to;
  };
  // The shell may have printed something that draws nothing.
  await rename("second");
  for (const to of ["third", "fourth", "fifth"]) {
    await rename(to);
    assert(!notices.updated.includes(result));
  }
});

test("the end of a command on another socket is an update", async ({ client }) => {
  await using other = await World.create();
  const notices = new Notices(client);
  const socket = { socket: other.socket };
  const { paneId } = await client.ok("create-session", { command: "bash --norc", ...socket });
  const command = "read -r line; echo got $line";
  const { commandId } = await client.ok("execute-command", { paneId, command, background: true, ...socket });
  const result = `tmux://command/${commandId}/result`;
  await client.client.subscribeResource({ uri: result });
  await other.tmux("send-keys", "-t", paneId, "x", "Enter");
  await until(async () => {
    await notices.until(() => notices.updated.includes(result));
    notices.updated.length = 0;
    return (await read(client, result)).json.status === "completed";
  });
});

test("the title, program, folder and mode of a silent pane are updates", async ({ world, client }) => {
  const notices = new Notices(client);
  const { paneId } = await client.ok("create-session", { name: "w", command: "exec cat" });
  const info = `tmux://pane/${paneId}/info`;
  await client.client.subscribeResource({ uri: info });
  const changes: { acts: string[]; shown: Record<string, unknown> }[] = [
    { acts: ["select-pane", "-t", paneId, "-T", "watched"], shown: { title: "watched" } },
    { acts: ["copy-mode", "-t", paneId], shown: { mode: "copy-mode" } },
    { acts: ["send-keys", "-t", paneId, "-X", "cancel"], shown: { inMode: false } },
    {
      acts: ["respawn-pane", "-k", "-c", "/", "-t", paneId, "exec sleep 1000"],
      shown: { currentCommand: "sleep", currentPath: "/" },
    },
  ];
  for (const { acts, shown } of changes) {
    // A pane that printed less than two seconds ago is read again whatever has changed.
    await until(async () =>
      Number(await world.tmux("display-message", "-p", "#{window_activity}")) < Date.now() / 1000 - 2
    );
    notices.updated.length = 0;
    await world.tmux(...acts);
    await until(async () => {
      await notices.until(() => notices.updated.includes(info));
      notices.updated.length = 0;
      const { json } = await read(client, info);
      return Object.entries(shown).every(([name, value]) => json[name] === value);
    });
  }
});

test("a person who attaches or leaves, and a zoom, are updates", async ({ world, client }) => {
  const { paneId, windowId } = await rig(client);
  const notices = new Notices(client);
  const uris = ["tmux://clients", "tmux://sessions"];
  for (const uri of uris) await client.client.subscribeResource({ uri });
  const isTold = async (attached: boolean) => {
    await notices.until(() => uris.every((uri) => notices.updated.includes(uri)));
    assertEquals((await read(client, "tmux://sessions")).json[0].attached, attached);
    notices.updated.length = 0;
  };
  for (const _ of ["of another size than the window", "of the size that it has by then"]) {
    await using _person = await PersonAtTerminal.attach(world, { session: "wörk 1" });
    await isTold(true);
    await world.tmux("detach-client", "-s", "=wörk 1");
    await isTold(false);
  }
  await world.tmux("split-window", "-d", "-t", paneId, "exec sleep 1000");
  const info = `tmux://window/${windowId}/info`;
  await client.client.subscribeResource({ uri: info });
  await world.tmux("resize-pane", "-Z", "-t", paneId);
  await notices.until(() => notices.updated.includes(info));
});

test("a subscription attaches nobody", async ({ world, client }) => {
  const { paneId } = await rig(client);
  const notices = new Notices(client);
  for (const uri of [`tmux://pane/${paneId}`, "tmux://sessions"]) {
    await client.client.subscribeResource({ uri });
  }
  assertEquals(await world.tmux("list-clients"), "");
  await world.tmux("send-keys", "-t", paneId, "hello", "Enter");
  await notices.until(() => notices.updated.includes(`tmux://pane/${paneId}`));
  assertEquals(await world.tmux("list-clients"), "");
});

test("list_changed comes when panes, windows, sessions and the server come and go", async ({ world, client }) => {
  const { paneId } = await rig(client);
  const notices = new Notices(client);
  await client.client.listResources();
  assertEquals(await world.tmux("list-clients"), "", "listing alone attaches nobody");
  await client.client.subscribeResource({ uri: "tmux://sessions" });
  // The notice of the session's creation may come as late as that of the first step, and so on: no step undoes the
  // one before it.
  const steps: string[][] = [
    ["split-window", "-d", "-t", paneId, "exec sleep 1000"],
    ["new-window", "-d", "-t", "=wörk 1:", "exec sleep 1000"],
    ["kill-pane", "-t", "%1"],
    ["new-session", "-d", "-s", "more", "exec sleep 1000"],
    ["split-window", "-d", "-t", "=more:", "exec sleep 1000"],
    ["kill-session", "-t", "=more"],
    ["kill-server"],
    ["new-session", "-d", "-s", "again", "exec sleep 1000"],
  ];
  for (const step of steps) {
    const before = notices.listChanged;
    await world.tmux(...step);
    await notices.until(() => notices.listChanged > before);
    await client.client.listResources();
  }
});

Deno.test("list_changed reaches a client that subscribed to nothing, and attaches nobody for it", async () => {
  await using world = await World.create();
  const client = await world.serve();
  const notices = new Notices(client);
  await client.ok("create-session", { name: "own", command: "exec sleep 1000" });
  await notices.until(() => notices.listChanged > 0);
  const steps = [["new-session", "-d", "-s", "theirs", "exec sleep 1000"], ["kill-session", "-t", "=own"]];
  for (const step of steps) {
    const before = notices.listChanged;
    await world.tmux(...step);
    await notices.until(() => notices.listChanged > before);
  }
  assertEquals(await world.tmux("list-clients"), "");
});

test("list_changed comes for no pane outside allowed_panes, and for none if nothing may be listed", async ({ world, client: other }) => {
  await world.tmux("new-session", "-d", "-s", "shared", "exec sleep 1000");
  const limited = await world.serve({ args: ["--allowed-panes=%0"] });
  const closed = await world.serve({ args: ["--allow-list=false"] });
  const [unseen, seen, unlisted] = [new Notices(limited), new Notices(other), new Notices(closed)];
  for (const { client } of [other, closed]) await client.listResources();
  const { resources } = await limited.client.listResources();
  assert(resources.length > 0);
  // Both servers look every 2 s: between two changes that one reports, the other has looked.
  const hidden = [["split-window", "-d", "-t", "%0"], ["new-session", "-d"], ["kill-pane", "-t", "%1"]];
  for (const command of hidden) {
    const before = seen.listChanged;
    await world.tmux(...command);
    await seen.until(() => seen.listChanged > before);
  }
  assertEquals([unseen.listChanged, (await limited.client.listResources()).resources], [0, resources]);
  await world.tmux("rename-session", "-t", "shared", "renamed");
  await unseen.until(() => unseen.listChanged > 0);
  assertEquals([unlisted.listChanged, (await closed.client.listResources()).resources], [0, []]);
  for (const { client } of [limited, closed]) await client.close();
});

Deno.test("list_changed comes for what is created right after the first list, however slow the reading", async () => {
  await using world = await World.create();
  const slow = '#!/bin/sh\ncase "$*" in *"#{W:"*) sleep 1 ;; esac\nexec tmux "$@"\n';
  await Deno.writeTextFile(`${world.folder}/slow`, slow, { mode: 0o700 });
  await world.tmux("new-session", "-d", "-s", "first", "cat");
  const client = await world.serve({ args: ["--tmux-bin", `${world.folder}/slow`, "--tmux-protocol=false"] });
  const notices = new Notices(client);
  await client.client.listResources();
  await world.tmux("new-session", "-d", "-s", "second", "cat");
  await notices.until(() => notices.listChanged > 0);
});

Deno.test("a stream reports what is created right after it opens, however slow the reading", async () => {
  await using world = await World.create();
  const slow = '#!/bin/sh\ncase "$*" in *"#{W:"*) sleep 1 ;; esac\nexec tmux "$@"\n';
  await Deno.writeTextFile(`${world.folder}/slow`, slow, { mode: 0o700 });
  await world.tmux("new-session", "-d", "-s", "first", "cat");
  await using raw = new RawClient(world, ["--tmux-bin", `${world.folder}/slow`, "--tmux-protocol=false"]);
  await raw.modern(1, "resources/list");
  const listen = { notifications: { resourcesListChanged: true }, _meta: envelope() };
  await raw.send({ id: 2, method: "subscriptions/listen", params: listen });
  assertEquals((await raw.next()).method, "notifications/subscriptions/acknowledged");
  await world.tmux("new-session", "-d", "-s", "second", "cat");
  assertEquals((await raw.next()).method, "notifications/resources/list_changed");
});
