import { assertEquals, assertMatch } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { PersonAtTerminal } from "../support/person.ts";
import { startReader } from "../support/reader.ts";
import { type TestClient, World } from "../support/world.ts";
import { until } from "../support/until.ts";

const test = inTurnOnOneServer("displays");

async function screen(client: TestClient, paneId: string, isSo: (text: string) => boolean): Promise<string> {
  for (let tries = 0; tries < 1000; tries++) {
    const text = await client.ok("capture-pane", { paneId, lines: 100 });
    if (isSo(text)) return text;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(await client.ok("capture-pane", { paneId, lines: 100 }));
}

test("text before a newline in a display is shown and not executed, and typing goes on below it", async ({ world, client }) => {
  const command = "PS1='$ ' exec bash --norc --noprofile -i";
  const { paneId } = await client.ok("create-session", { name: "d", width: 60, height: 10, command });
  await screen(client, paneId, (text) => text === "$");
  await client.ok("send-keys", { paneId, keys: "echo ab" });
  await screen(client, paneId, (text) => text === "$ echo ab");

  const text = "touch HIT\n\u001b[31mred\u001b[m #(touch HIT) %H\u001b[6n\u0007;\tend";
  assertEquals(await client.ok("write-to-display", { paneId, text }), { paneId });
  const lines = ["touch HIT", "red #(touch HIT) %H;    end", "$ echo ab"];
  // From 3.6 on, tmux keeps a tab; earlier versions wrote spaces.
  await screen(client, paneId, (text) => text.replace(";\tend", ";    end") === lines.join("\n"));
  await client.ok("send-keys", { paneId, keys: "c", enter: true });
  await screen(client, paneId, (text) => text.endsWith("$ echo abc\nabc\n$"));

  await client.ok("write-to-display", { paneId, text: "alone", clear: true });
  await screen(client, paneId, (text) => text.endsWith("alone\n$"));
  assertEquals((await client.ok("capture-pane", { paneId })).split("\n"), ["alone", "$"]);
  assertEquals(await client.ok("write-to-display", { paneId, text: "" }), { paneId });
  assertEquals(await Deno.stat(`${world.folder}/HIT`).catch(() => "untouched"), "untouched");
});

test("a display goes above all rows of a line that wraps, and typing goes on in it", async ({ world, client }) => {
  const { paneId } = await client.ok("create-session", { width: 40, height: 10, command: "PS1='$ ' sh -i" });
  await until(async () => (await client.ok("capture-pane", { paneId })).includes("$"));
  // The last column of the first row is a blank.
  const typed = `echo ${"w".repeat(32)} ${"w".repeat(30)}`;
  const type = (...keys: string[]) => world.tmux("send-keys", "-t", paneId, ...keys);
  const joined = () => client.ok("capture-pane", { paneId });
  await type("-l", typed);
  await until(async () => (await joined()).includes(typed.slice(-40)));
  await client.ok("write-to-display", { paneId, text: "NOTE" });
  await until(async () => (await joined()).includes("NOTE"));
  assertEquals((await joined()).trimEnd().split("\n"), ["NOTE", `$ ${typed}`]);
  await type("-l", "x");
  await until(async () => (await joined()).includes("wx"));
  assertEquals((await joined()).trimEnd().split("\n"), ["NOTE", `$ ${typed}x`]);
});

test("what is shown reaches no program's input", async ({ world, client }) => {
  await world.tmux("new-session", "-d", "-s", "t", "sleep 1000");
  const { paneId, bytes } = await startReader(world, 1);
  await client.ok("write-to-display", { paneId, text: "x\u001b[c\u001b[5n\u001b[6n\u009b6n\u0005" });
  await client.ok("send-keys", { paneId, keys: "k" });
  assertEquals(new TextDecoder().decode(await bytes()), "k");
});

test("a display on a full-screen program, a dead pane or none is refused", async ({ world, client }) => {
  const command = "printf '\\033[?1049h'; tmux wait-for -S drawn; exec sleep 1000";
  const { paneId } = await client.ok("create-session", { name: "d", command });
  await world.tmux("wait-for", "drawn");
  const refused = await client.fails("write-to-display", { paneId, text: "x" });
  assertEquals(refused.code, "busy");
  assertMatch(refused.text, /display-message/);
  assertEquals((await client.fails("write-to-display", { paneId: "%99", text: "x" })).code, "not-found");
});

Deno.test("display-message shows a long message to each of several people", async () => {
  await using world = await World.create();
  const client = await world.serve();
  if (!await world.isTmux(3, 3)) return;
  await client.ok("create-session", { name: "shown", command: "cat" });
  await using one = await PersonAtTerminal.attach(world, { session: "shown" });
  await using two = await PersonAtTerminal.attach(world, { session: "shown" });
  const message = `read: ${"x".repeat(9000)}`;
  assertEquals(await client.ok("display-message", { message, duration: 60 }), "Message displayed");
  for (const person of [one, two]) await person.untilScreen(/^read: x+$/m);
});

Deno.test("display-message keeps the lines of a message apart", async () => {
  await using world = await World.create();
  const client = await world.serve();
  const { sessionId } = await client.ok("create-session", { name: "shown", command: "cat" });
  const outer = (...args: string[]) => world.tmux("-S", `${world.folder}/outer.sock`, ...args);
  await outer(
    "new-session",
    "-d",
    "-x",
    "80",
    "-y",
    "10",
    `tmux -S ${world.socket} attach -t '${sessionId}'`,
  );
  try {
    await until(async () => (await client.ok("list-clients")).clients.length > 0);
    const message = "first\nsecond\r\n  third";
    if (!await world.isTmux(3, 3)) {
      // tmux 3.2 shows a message to the client that asks for it, and to no other.
      assertEquals((await client.fails("display-message", { message })).code, "unsupported");
      return;
    }
    assertEquals(await client.ok("display-message", { message, duration: 60 }), "Message displayed");
    let text = "";
    for (let tries = 0; tries < 1000 && !text.includes("third"); tries++) {
      text = await outer("capture-pane", "-p");
    }
    assertMatch(text, /first second third/);
  } finally {
    await outer("kill-server");
  }
});
