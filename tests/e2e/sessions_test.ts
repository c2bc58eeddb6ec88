import { assertEquals, assertMatch } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { PersonAtTerminal } from "../support/person.ts";
import { World } from "../support/world.ts";
import { until } from "../support/until.ts";

const test = inTurnOnOneServer("sessions");
const onLinux: typeof test = (name, run) => Deno.build.os === "linux" ? test(name, run) : undefined;

interface Size {
  width: number;
  height: number;
}

test("a session is made, listed and killed through a real client", async ({ client }) => {
  assertEquals(await client.ok("list-sessions"), { sessions: [] });

  const made = await client.ok("create-session", { name: "work" });
  assertMatch(made.paneId, /^%\d+$/);
  assertEquals(made.created, true);
  for (const suppressHistory of [false, true]) {
    assertEquals((await client.ok("create-session", { name: "work", suppressHistory })).created, false);
  }

  const { sessions } = await client.ok("list-sessions");
  assertEquals(
    sessions.map((session: { name: string; attached: boolean }) => [session.name, session.attached]),
    [[
      "work",
      false,
    ]],
  );
  const { panes } = await client.ok("list-panes", { sessionId: "work" });
  assertEquals(panes.map((pane: { id: string }) => pane.id), [made.paneId]);

  assertEquals(await client.ok("kill-session", { sessionId: "work" }), { killed: "work" });
  assertEquals(await client.ok("list-sessions"), { sessions: [] });
});

test("a prefix of a session's name does not hit it", async ({ client }) => {
  await client.ok("create-session", { name: "develop" });
  assertEquals((await client.fails("kill-session", { sessionId: "dev" })).code, "not-found");
});

test("a socket takes no file's place: tmux would put its own there and the file would be lost", async ({ world, client }) => {
  const file = `${world.folder}/notes`;
  await Deno.writeTextFile(file, "kept");
  await Deno.symlink(file, `${world.folder}/link`);
  await Deno.symlink(`${world.folder}/nothing`, `${world.folder}/dangling`);
  for (const socket of [file, `${world.folder}/link`, `${world.folder}/dangling`, world.folder]) {
    const refused = await client.fails("create-session", { socket });
    assertEquals([refused.code, refused.text.includes(socket)], ["invalid-argument", true], refused.text);
    const watched = await client.fails("start-and-watch", { socket, command: "true" });
    assertEquals(watched.code, "invalid-argument", watched.text);
  }
  assertEquals(await Deno.readTextFile(file), "kept");
  assertEquals(await Deno.readLink(`${world.folder}/dangling`), `${world.folder}/nothing`);
  const nowhere = await client.fails("create-session", { socket: `${world.folder}/no/where` });
  assertEquals(
    [nowhere.code, /could not start|error creating/.test(nowhere.text)],
    ["tmux-error", true],
    nowhere.text,
  );
});

test("sessions, and windows made in them later, have the size that was asked for", async ({ world, client }) => {
  const sizes = [undefined, [120, 40], [20, 1], [1, 5], [1, 1], [1000, 500]] as const;
  for (const command of [undefined, "exec cat"]) {
    for (const [width, height] of sizes.map((size) => size ?? [])) {
      const size = width === undefined
        ? {}
        : { width, height, name: `${command ?? "shell"} ${width}x${height}` };
      const { sessionId } = await client.ok("create-session", { ...size, ...(command && { command }) });
      await client.ok("create-window", { sessionId });
      const { windows } = await client.ok("list-windows", { sessionId });
      const expected = [width ?? 200, height ?? 50];
      assertEquals(windows.map((window: Size) => [window.width, window.height]), [expected, expected]);
    }
  }
  assertEquals(
    await world.tmux("show-options", "-qvw", "window-size"),
    "",
    "a size that stays when somebody attaches",
  );
});

test("a new session's own window and pane are ours, and have its size, if a hook opens others in it", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "-s", "theirs", "cat");
  for (const [hook, tool] of [["split-window -hb", "kill-pane"], ["new-window", "kill-window"]] as const) {
    await world.tmux("set-hook", "-g", "after-new-session", hook);
    const { windowId, paneId } = await client.ok("create-session", { name: tool, width: 30 });
    assertEquals(await world.tmux("display-message", "-p", "-t", windowId, "#{window_width}"), "30\n");
    await client.ok(tool, tool === "kill-pane" ? { paneId } : { windowId });
  }
});

const testBroken = inTurnOnOneServer("sessions with a broken ~/.tmux.conf", async (world) => {
  await Deno.writeTextFile(`${world.folder}/.tmux.conf`, "set -g no-such-option on\n");
  return await world.serve();
});

for (const how of ["create-session with a name", "create-session", "start-and-watch"]) {
  testBroken(`${how}: an error in ~/.tmux.conf does not keep keys from the pane`, async ({ client }) => {
    const { paneId } = how === "start-and-watch"
      ? await client.ok(how, { command: "echo ready; cat", pattern: "ready" })
      : await client.ok("create-session", how.endsWith("name") ? { name: "work" } : {});
    assertEquals((await client.ok("get-pane-info", { paneId })).inMode, false);
    await client.ok("send-keys", { paneId, keys: "echo typed", enter: true });
  });
}

Deno.test("the session of this server's own pane keeps its settings, and the new one stays", async (t) => {
  await using world = await World.create();
  await world.tmux("new-session", "-d", "-s", "theirs", "cat");
  const here = await world.tmux("display-message", "-p", "-t", "=theirs:", "#{pid} #{pane_id}");
  const [pid, TMUX_PANE = ""] = here.trim().split(" ");
  const client = await world.serve({ env: { TMUX: `${world.socket},${pid},0`, TMUX_PANE } });
  for (const how of ["create-session", "start-and-watch"]) {
    await t.step(how, async () => {
      const args = how === "create-session" ? {} : { command: "echo ready; cat", pattern: "ready" };
      const paneIds = [(await client.ok(how, args)).paneId];
      assertEquals(await world.tmux("show-options", "-t", "=theirs:", "destroy-unattached"), "");
      await world.tmux("set-option", "-t", "=theirs:", "destroy-unattached", "off");
      await world.tmux("set-option", "-g", "destroy-unattached", "on");
      paneIds.push((await client.ok(how, args)).paneId);
      for (const paneId of paneIds) assertEquals((await client.ok("get-pane-info", { paneId })).dead, false);
      assertEquals((await client.ok("get-pane-info", { paneId: TMUX_PANE })).isCaller, true);
      await world.tmux("set-option", "-g", "destroy-unattached", "off");
      await world.tmux("set-option", "-u", "-t", "=theirs:", "destroy-unattached");
    });
  }
});

testBroken(
  "attaching to a session that a person made does not show the errors of ~/.tmux.conf in its pane",
  async ({ world, client }) => {
    const file = `${world.folder}/.tmux.conf`;
    await world.tmux("-f", file, "new-session", "-d", "-s", "theirs", "-x", "80", "-y", "24", "bash --norc");
    await world.tmux("copy-mode", "-q", "-t", "theirs:");
    // tmux shows them while its oldest client is not one in control mode.
    const oldest = world.tmux("set-option", "-g", "@waits", "1", ";", "wait-for", "held");
    await until(async () => await world.tmux("show-options", "-gqv", "@waits") === "1\n");
    const { panes: [{ id: paneId }] } = await client.ok("list-panes");
    const { status, output } = await client.ok("execute-command", {
      paneId,
      command: "echo typed",
      timeout: 5,
    });
    assertEquals([status, output], ["completed", "typed"]);
    assertEquals((await client.ok("get-pane-info", { paneId })).inMode, false);
    await world.tmux("wait-for", "-S", "held");
    await oldest;
  },
);

onLinux(
  "the server that a first session starts has none of its text in the process list",
  async ({ world, client }) => {
    const text = "s3cret ~$HOME `pwd` \"'\\ #{pid} #(id) %H \u00e9\u4e16\n  # rest\t;";
    const environment = { TOKEN: text, TRAIL: "x;", EMPTY: "" };
    const { paneId } = await client.ok("create-session", {
      name: "a;",
      command: 'printf \'<%s>\' "$TOKEN" "$TRAIL" "$EMPTY" >shown; echo s3cret; exec cat;',
      environment,
      startDirectory: world.folder,
    });
    await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 20 });
    assertEquals(await Deno.readTextFile(`${world.folder}/shown`), `<${text}><x;><>`);
    const pid = (await world.tmux("display-message", "-p", "#{pid}")).trim();
    const commandLine = await Deno.readTextFile(`/proc/${pid}/cmdline`);
    assertEquals([commandLine.includes("new-session"), commandLine.includes("s3cret")], [false, false]);
  },
);

Deno.test("a new session keeps what its tmux server has of the variables that tmux updates", async () => {
  await using world = await World.create();
  const theirs = { XAUTHORITY: "/x", KRB5CCNAME: "/k", MINE: "m", SSH_AUTH_SOCK: "/old", LC_ALL: "C" };
  Object.assign(world.env, theirs);
  await world.tmux("new-session", "-d", "-s", "theirs", "cat");
  for (const name of Object.keys(theirs)) delete world.env[name];
  const updated = "XAUTHORITY KRB5CCNAME MINE SSH_AUTH_SOCK DISPLAY";
  await world.tmux("set-option", "-g", "update-environment", updated.replace("SSH_AUTH_SOCK", "SSH_*"));
  const client = await world.serve({ env: { SSH_AUTH_SOCK: "/new", DISPLAY: ":7", LC_ALL: "C.UTF-8" } });
  const command = `echo ${`${updated} LC_ALL`.replaceAll(/\w+/g, "$$$&")}`;
  const seen = async (args: Record<string, unknown>): Promise<string> => {
    const { paneId } = await client.ok("create-session", args);
    return (await client.ok("execute-command", { paneId, command })).output;
  };
  assertEquals(await seen({ name: "named" }), "/x /k m /new :7 C");
  assertEquals(await seen({ environment: { SSH_AUTH_SOCK: "/own" } }), "/x /k m /own :7 C");
  assertEquals((await client.ok("create-session", { name: "named" })).created, false);
});

test("the current session is the one that a person is attached to, wherever a command ran since", async ({ world, client }) => {
  await client.ok("create-session", { name: "main" });
  await using _person = await PersonAtTerminal.attach(world, { session: "main" });
  const { paneId } = await client.ok("create-session", { name: "build" });
  await client.ok("execute-command", { paneId, command: "true" });
  assertEquals((await client.ok("get-current-session")).name, "main");
});
