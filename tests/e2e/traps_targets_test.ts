// Traps of names and targets: each test is named after what breaks in other servers.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

async function allPanes(world: World): Promise<string[]> {
  return (await world.tmux("list-panes", "-a", "-F", "#{pane_id}")).trim().split("\n");
}

/** Every tool that takes a pane, with whatever else it must be given. */
const PANE_CALLS: Record<string, Record<string, unknown>> = {
  "capture-pane": {},
  "capture-since": {},
  "clear-pane": {},
  "execute-command": { command: "true" },
  "get-pane-info": {},
  "kill-pane": {},
  "paste-text": { text: "x" },
  "pane-state": {},
  "pipe-pane": { outputPath: null },
  "rename-pane": { title: "x" },
  "respawn-pane": {},
  "screenshot-pane": {},
  "send-enter": {},
  "send-keys": { keys: "x" },
  "snapshot-pane": {},
  "split-pane": {},
  "start-and-watch": { command: "true" },
  "watch-pane": {},
  "write-to-display": { text: "x" },
};

const NOWHERE = { clientTty: "/dev/pts/9999" };

Deno.test("traps of names and targets", async (t) => {
  await using world = await World.create();
  const client = await world.serve({ args: ["--safety", "destructive"] });
  await client.ok("create-session", { name: "develop", command: "cat" });
  const before = await allPanes(world);

  await t.step("empty target hits the current pane", async () => {
    for (const [name, args] of Object.entries(PANE_CALLS)) {
      for (const paneId of ["", " ", "develop", "!", "{last}", "%"]) {
        const { code, text } = await client.fails(name, { ...args, paneId });
        assertEquals([name, code], [name, "invalid-argument"]);
        assert(text.includes(JSON.stringify(paneId)), text);
      }
    }
  });

  await t.step("a pane id that is gone answers blanks with exit 0", async () => {
    for (const [name, args] of Object.entries(PANE_CALLS)) {
      const { code, text } = await client.fails(name, { ...args, paneId: "%999" });
      assertEquals([name, code], [name, "not-found"]);
      assertMatch(text, /"%999".*list-panes/);
    }
    assertEquals(await allPanes(world), before);
  });

  await t.step("prefix match (`dev` kills `develop`)", async () => {
    for (const sessionId of ["dev", "develo", "d*", "=develop", "develop:", "develop:0", "-t", "$"]) {
      for (const name of ["kill-session", "get-session-info", "list-windows", "list-panes"]) {
        assertEquals([sessionId, (await client.fails(name, { sessionId })).code], [sessionId, "not-found"]);
      }
    }
    assertEquals(await allPanes(world), before);
  });

  await t.step("no-target calls act on the first session", async () => {
    for (
      const name of ["kill-session", "kill-window", "kill-pane", "send-keys", "select-window", "select-pane"]
    ) {
      assertEquals([name, (await client.fails(name, {})).code], [name, "invalid-argument"]);
    }
    assertEquals(await allPanes(world), before);
  });

  await t.step("`a.b` renamed by tmux to `a_b`, so the second create fails", async () => {
    for (const name of ["a.b", "a:b", ""]) {
      assertEquals((await client.fails("create-session", { name })).code, "invalid-argument");
      const rename = await client.fails("rename-session", { sessionId: "develop", newName: name });
      assertEquals(rename.code, "invalid-argument");
    }
  });

  await t.step("a client that is not there, to a caller that may detach it", async () => {
    assertEquals((await client.fails("detach-client", NOWHERE)).code, "not-found");
  });

  const awkward = [
    "-d",
    "-- x",
    "a}b,c",
    "#{pid}",
    "#(touch HIT)",
    "%H",
    "%3",
    "@2",
    "a;",
    ";",
    "=x",
    "*",
    "~",
    "grüße",
  ];
  for (const name of awkward) {
    await t.step(`names that mean something to tmux: ${name}`, () => keepsName(client, name));
  }
  await t.step("tab, newline, `}` or `,` in a name shifts fields or changes a filter", async () => {
    for (const name of ["a\tb", "a\nb", "a\x1fb", "a\0b"]) {
      assertEquals((await client.fails("create-session", { name })).code, "invalid-argument");
    }
    const { sessions } = await client.ok("list-sessions", { filters: { name: "a}b,c" } });
    assertEquals(sessions.map(({ name }: { name: string }) => name), ["a}b,c"]);
    const { paneId } = await client.ok("create-session", { name: "a}b,c" });
    await world.tmux("select-pane", "-t", paneId, "-T", "x },y");
    const info = await client.ok("get-pane-info", { paneId });
    assertEquals([info.title, info.sessionName], ["x },y", "a}b,c"]);
  });
});

/** The same name makes the same session, finds it, and ends it. */
async function keepsName(client: TestClient, name: string): Promise<void> {
  const made = await client.ok("create-session", { name, command: "cat" });
  assertEquals([made.sessionName, made.created], [name, true]);
  const again = await client.ok("create-session", { name });
  assertEquals([again.sessionId, again.created], [made.sessionId, false]);
  assertEquals((await client.ok("get-session-info", { sessionId: name })).id, made.sessionId);
  if (name === "a}b,c") return;
  await client.ok("kill-session", { sessionId: name });
  assertEquals((await client.fails("get-session-info", { sessionId: name })).code, "not-found");
}

const test = inTurnOnOneServer("targets of a server with its defaults");

test("what does not exist is not-found or invalid-argument, with the next step, not a denial or a guess", async ({ client }) => {
  const { paneId, sessionId } = await client.ok("create-session");
  for (
    const [tool, args, code] of [
      ["delete-buffer", { name: "nowhere" }, "not-found"],
      ["create-session", { startDirectory: "/no/such/folder" }, "invalid-argument"],
      ["create-window", { sessionId, startDirectory: "/no/such/folder" }, "invalid-argument"],
      ["split-pane", { paneId, startDirectory: "/etc/passwd" }, "invalid-argument"],
      ["start-and-watch", { command: "true", startDirectory: "/no/such/folder" }, "invalid-argument"],
    ] as const
  ) {
    const error = await client.fails(tool, args);
    assertEquals([tool, error.code], [tool, code]);
  }
  assertEquals((await client.ok("list-panes")).panes.length, 1);
  // A caller that may not detach clients doesn't learn which ones exist.
  assertEquals((await client.fails("detach-client", NOWHERE)).code, "denied");
});

test("a pane whose program has ended gets no pipe, and stopping its pipe is no error", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "cat", ";", "set-option", "-g", "remain-on-exit", "on");
  const { paneId } = await client.ok("create-session", { command: "exit 3" });
  await until(async () =>
    (await world.tmux("display-message", "-p", "-t", paneId, "#{pane_dead}")).trim() === "1"
  );
  const { code, text } = await client.fails("pipe-pane", { paneId, outputPath: `${world.folder}/log` });
  assertEquals(code, "gone");
  assertMatch(text, /its program has ended/);
  assertEquals((await client.ok("pipe-pane", { paneId, outputPath: null })).piping, false);
});
