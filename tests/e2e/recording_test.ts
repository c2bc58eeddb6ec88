import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { inTurnOnOneServer, type Served } from "../support/one_server.ts";
import { WAYS } from "../support/watching.ts";
import { type TestClient, World } from "../support/world.ts";
import { until } from "../support/until.ts";
import { openEmulator } from "../../src/terminal/emulator.ts";
import { screenOf } from "../../src/terminal/screen.ts";

const MASK = ["--mask", "literal:sk-123456"];
const UNATTACHED = WAYS["without attaching"]!;

const test = recordings("recordings", []);
const unattached = recordings("recordings, without attaching", UNATTACHED);
const masked = recordings("recordings with a mask", MASK);
const unattachedMasked = recordings("recordings with a mask, without attaching", [...UNATTACHED, ...MASK]);

/** Recordings without a path go to the world's folder. */
function recordings(about: string, args: readonly string[]) {
  return inTurnOnOneServer(about, (world) => world.serve({ args, env: { TMPDIR: world.folder } }));
}

const LOST = "\r\n[output lost]\r\n";

type CastEvent = [seconds: number, code: string, data: string];

interface Cast {
  header: { version: number; width: number; height: number; timestamp: number };
  events: CastEvent[];
  /** Everything that was printed, in order. */
  text: string;
}

/** Reads a file as the format's description has it: a header line, then events whose times do not fall. */
async function readCast(path: string): Promise<Cast> {
  const content = await Deno.readTextFile(path);
  assert(content.endsWith("\n"));
  const [header, ...events] = content.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(header.version, 2);
  const times = events.map(([seconds]) => seconds);
  assertEquals(times, times.toSorted((a, b) => a - b));
  return {
    header,
    events,
    text: events.filter(([, code]) => code === "o").map(([, , data]) => data).join(""),
  };
}

/** A pane whose program prints back what is typed. */
async function echoingPane(client: TestClient): Promise<string> {
  const { paneId } = await client.ok("create-session", {
    width: 40,
    height: 10,
    command: "stty -echo; echo before; exec cat",
  });
  await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 10 });
  return paneId;
}

async function type(client: TestClient, paneId: string, keys: string): Promise<void> {
  const until = client.ok("watch-pane", { paneId, triggers: `pattern:^${keys}$`, timeout: 10 });
  await client.untilWatching();
  await client.ok("send-keys", { paneId, keys, enter: true });
  await until;
}

for (const declare of [test, unattached]) {
  declare("record-pane: the screen as it was, then what was printed, in a private file", recorded);
}

async function recorded({ world, client }: Served): Promise<void> {
  const paneId = await echoingPane(client);
  const outputPath = join(world.folder, "a.cast");
  assertEquals(await client.ok("record-pane", { paneId, action: "start", outputPath }), {
    paneId,
    outputPath,
    recording: true,
  });
  await type(client, paneId, "grüße");
  const stopped = await client.ok("record-pane", { paneId, action: "stop" });
  const { size, mode } = await Deno.stat(outputPath);
  assertEquals(stopped, { paneId, outputPath, recording: false, bytes: size });
  assertEquals(mode! & 0o777, 0o600);
  const { header, events, text } = await readCast(outputPath);
  assertEquals([header.width, header.height], [40, 10]);
  assertMatch(events[0]![2], /before/);
  assertEquals(text.match(/before/g)!.length, 1);
  assert(text.endsWith("grüße\r\n"));
}

/** Rows that a recording shows at its end. */
async function lastScreen(
  { header: { width, height }, text }: Pick<Cast, "header" | "text">,
): Promise<string[]> {
  const terminal = await openEmulator({ columns: width, rows: height });
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  const rows = screenOf(terminal).rows.map((cells) => cells.map((cell) => cell.text).join("").trimEnd());
  terminal.dispose();
  return rows;
}

for (const declare of [test, unattached, masked]) {
  declare(
    "record-pane: after a full-screen program, the main screen is there again",
    async ({ world, client }) => {
      const { paneId } = await client.ok("create-session", {
        width: 40,
        height: 5,
        command: "stty -echo; printf 'one\\ntwo: '; printf '\\033[?1049h\\033[Hfull\\nscreen'; read x; " +
          "printf '\\033[?1049l'; echo after; exec cat",
      });
      await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 10 });
      const { outputPath } = await client.ok("record-pane", { paneId, action: "start" });
      assertEquals((await lastScreen(await readCast(outputPath))).slice(0, 2), ["full", "screen"]);
      const back = client.ok("watch-pane", { paneId, triggers: "pattern:after", timeout: 10 });
      await client.untilWatching();
      await client.ok("send-keys", { paneId, keys: "", enter: true });
      await back;
      await client.ok("record-pane", { paneId, action: "stop" });
      const shown = (await world.tmux("capture-pane", "-p", "-t", paneId)).split("\n").slice(0, 5);
      assertEquals(shown.slice(0, 2), ["one", "two: after"]);
      assertEquals(await lastScreen(await readCast(outputPath)), shown);
    },
  );
}

/** Numbers of a recorded `seq` that are followed by another one than the next, where nothing says so. */
async function findMissing({ header, events }: Cast): Promise<string[]> {
  const [screen, ...printed] = events.map(([, , data]) => data);
  const rows = await lastScreen({ header, text: screen! });
  // A screen that is drawn again says so too.
  const text = printed.map((data) => data.includes("\x1b[2J") ? LOST : data).join("");
  // A loss may be marked twice in a row: by a screen, and because it came too late.
  // deno-lint-ignore no-control-regex -- the mark resets colors
  const parts = (rows.join("\r\n") + text).split(/[^\n]*(?:\r\n\[output lost\]\r\n(?:\x1b\[m)?)+[^\n]*\n/);
  return parts.flatMap((part) => {
    const numbers = part.split(/\r?\n/).slice(0, -1).map(Number);
    return numbers.slice(1).flatMap((number, index) =>
      number === numbers[index]! + 1 ? [] : [`${numbers[index]} ${number}`]
    );
  });
}

for (const declare of [test, unattached, masked, unattachedMasked]) {
  declare(
    "record-pane of a pane that prints without a pause: what is missing is marked",
    async ({ world, client }) => {
      await client.ok("create-session", { name: "stays" });
      const command = "exec seq 1 999999999";
      const { paneId } = await client.ok("create-session", { width: 40, height: 10, command });
      // The screen has numbers by then.
      await until(async () => (await client.ok("capture-pane", { paneId })) !== "");
      const outputPath = join(world.folder, "flood.cast");
      await client.ok("record-pane", { paneId, action: "start", outputPath });
      await until(async () => (await Deno.stat(outputPath)).size > 100_000);
      await world.tmux("kill-pane", "-t", paneId);
      await client.ok("record-pane", { paneId, action: "stop" });
      assertEquals(await findMissing(await readCast(outputPath)), []);
    },
  );
}

test("record-pane: a second start is busy and names the file; nothing to stop is not-found", async ({ world, client }) => {
  const paneId = await echoingPane(client);
  assertEquals((await client.fails("record-pane", { paneId, action: "stop" })).code, "not-found");
  const starts = await Promise.all([1, 2].map(() => client.call("record-pane", { paneId, action: "start" })));
  const busy = starts.find(({ isError }) => isError)!;
  const { outputPath } = starts.find(({ isError }) => !isError)!.structuredContent;
  assertEquals(busy._meta!["tmux-mcp/error"]!.code, "busy");
  const again = await client.fails("record-pane", { paneId, action: "start" });
  assert(again.text.includes(outputPath));
  const other = { paneId, action: "stop", outputPath: join(world.folder, "other.cast") };
  assertEquals((await client.fails("record-pane", other)).code, "invalid-argument");
  await client.ok("record-pane", { paneId, action: "stop", outputPath });
  await client.ok("record-pane", { paneId, action: "start", outputPath });
});

test("record-pane survives a resize, and says so in the file", async ({ world, client }) => {
  const paneId = await echoingPane(client);
  const outputPath = join(world.folder, "a.cast");
  await client.ok("record-pane", { paneId, action: "start", outputPath });
  await world.tmux("resize-window", "-t", paneId, "-x", "60", "-y", "20");
  await type(client, paneId, "wide");
  await client.ok("record-pane", { paneId, action: "stop" });
  const { events, text } = await readCast(outputPath);
  assertEquals(events.filter(([, code]) => code === "r").map(([, , data]) => data), ["60x20"]);
  assert(text.endsWith("wide\r\n"));
});

test("record-pane of a program that scrolls some rows, and wraps none, plays as the pane shows it", async ({ world, client }) => {
  const modes = "\\033[?7l\\033[2;5r\\033[8;1Hbelow\\033[5;1Hstarted\\n";
  const { paneId } = await client.ok("create-session", {
    width: 40,
    height: 10,
    command: `stty -echo; read word; printf '${modes}'; exec cat`,
  });
  await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 10 });
  // A new size, which tmux 3.2 may set late, ends the region.
  await client.ok("send-keys", { paneId, keys: "", enter: true });
  await client.ok("wait-for-text", { paneId, pattern: "started" });
  const outputPath = join(world.folder, "a.cast");
  await client.ok("record-pane", { paneId, action: "start", outputPath });
  for (const keys of ["one", "two", "three"]) await type(client, paneId, keys);
  await client.ok("send-keys", { paneId, keys: "-".repeat(38) + "longer", enter: true });
  await type(client, paneId, "end");
  await client.ok("record-pane", { paneId, action: "stop" });
  const terminal = await openEmulator({ columns: 40, rows: 10 });
  const { text } = await readCast(outputPath);
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  const played = screenOf(terminal).rows.map((cells) => cells.map((cell) => cell.text).join("").trimEnd());
  terminal.dispose();
  const shown = await world.tmux("capture-pane", "-p", "-t", paneId);
  assertEquals(played, shown.split("\n").slice(0, 10));
  assertEquals(played[7], "below");
});

Deno.test("record-pane: under a scope a recording that ended with its pane is returned too", async () => {
  await using world = await World.create();
  const args = ["-d", "-P", "-F", "#{pane_id}", "-s", "in", "cat"];
  const stays = (await world.tmux("new-session", ...args)).trim();
  const client = await world.serve({ args: ["--allowed-sessions", "in"] });
  const { paneId } = await client.ok("split-pane", { paneId: stays, command: "cat" });
  const outputPath = join(world.folder, "a.cast");
  await client.ok("record-pane", { paneId, action: "start", outputPath });
  await world.tmux("kill-pane", "-t", paneId);
  const stopped = await client.ok("record-pane", { paneId, action: "stop" });
  const bytes = (await Deno.stat(outputPath)).size;
  assertEquals(stopped, { paneId, outputPath, recording: false, bytes });
  assertEquals((await client.fails("record-pane", { paneId, action: "stop" })).code, "not-found");
});

test("record-pane stops with the pane, and tells it when it is asked to stop", async ({ world, client }) => {
  await client.ok("create-session", { name: "stays" });
  const { paneId } = await client.ok("create-session", { command: "read x; echo bye; read y" });
  const outputPath = join(world.folder, "a.cast");
  await client.ok("record-pane", { paneId, action: "start", outputPath });
  const gone = client.ok("watch-pane", { paneId, triggers: "exit", timeout: 10 });
  await client.untilWatching();
  await client.ok("send-keys", { paneId, keys: "go", enter: true });
  await until(async () => (await readCast(outputPath)).text.includes("bye\r\n"));
  await client.ok("send-keys", { paneId, keys: "", enter: true });
  await gone;
  const stopped = await client.ok("record-pane", { paneId, action: "stop" });
  assertEquals(stopped.bytes, (await Deno.stat(outputPath)).size);
  assertMatch((await readCast(outputPath)).text, /bye\r\n\s*$/);
  assertEquals((await client.fails("record-pane", { paneId, action: "start" })).code, "not-found");
});

test("record-pane: a pane of a new tmux server is not the one of the same id that was recorded", async ({ world, client }) => {
  const paneId = await echoingPane(client);
  const outputPath = join(world.folder, "a.cast");
  await client.ok("record-pane", { paneId, action: "start", outputPath });
  await world.tmux("kill-server");
  assertEquals(await echoingPane(client), paneId);
  const { code, hint } = await client.fails("record-pane", { paneId, action: "stop" });
  assertEquals(code, "gone");
  assert(hint?.includes(outputPath), hint);
  assertEquals((await client.fails("record-pane", { paneId, action: "stop" })).code, "not-found");
});

test("record-pane returns what it has of a pane with which the tmux server ended", async ({ world, client }) => {
  const paneId = await echoingPane(client);
  const outputPath = join(world.folder, "a.cast");
  await client.ok("record-pane", { paneId, action: "start", outputPath });
  await world.tmux("kill-server");
  const stopped = await client.ok("record-pane", { paneId, action: "stop" });
  assertEquals(stopped.bytes, (await Deno.stat(outputPath)).size);
});

Deno.test("record-pane: the end of the server finishes the file, and leaves no client behind", async () => {
  await using world = await World.create();
  const client = await world.serve();
  const paneId = await echoingPane(client);
  const outputPath = join(world.folder, "a.cast");
  await client.ok("record-pane", { paneId, action: "start", outputPath });
  // Nothing is asked of the server, which can't know more than tmux does.
  await world.tmux("send-keys", "-t", paneId, "last", "Enter");
  await until(async () => (await world.tmux("capture-pane", "-p", "-t", paneId)).includes("last"));
  await client.client.close();
  assertMatch((await readCast(outputPath)).text, /last\r\n$/);
  assertEquals(await world.tmux("list-clients"), "");
});

test("record-pane writes whatever is printed, 100,000 lines of it, once and whole", async ({ world, client }) => {
  const { paneId } = await client.ok("create-session", { command: "read x; seq 1 100000; exec cat" });
  const outputPath = join(world.folder, "a.cast");
  await client.ok("record-pane", { paneId, action: "start", outputPath });
  const done = client.ok("watch-pane", { paneId, triggers: "pattern:^100000$", timeout: 60 });
  await client.untilWatching();
  await client.ok("send-keys", { paneId, keys: "go", enter: true });
  await done;
  await client.ok("record-pane", { paneId, action: "stop" });
  const { text } = await readCast(outputPath);
  const lines = text.slice(text.indexOf("go\r\n") + 4).split("\r\n").slice(0, -1);
  assertEquals(lines, Array.from({ length: 100_000 }, (_, index) => `${index + 1}`));
});

test("pipe-pane to a folder, or to what may not be written, starts nothing", async ({ world, client }) => {
  const { paneId } = await client.ok("create-session", { command: "cat" });
  for (const outputPath of [world.folder, `${world.folder}/`]) {
    const { code, text } = await client.fails("pipe-pane", { paneId, outputPath });
    assertEquals(code, "invalid-argument");
    assertMatch(text, /it is a folder/);
  }
  assertEquals((await world.tmux("display-message", "-p", "-t", paneId, "#{pane_pipe}")).trim(), "0");
});

test("record-pane: two panes, or two servers, don't record to one file, whatever its names", async ({ world, client }) => {
  const [first, second] = [await echoingPane(client), await echoingPane(client)];
  const outputPath = join(world.folder, "a.cast");
  const starts = await Promise.all(
    [first, second].map((paneId) => client.call("record-pane", { paneId, action: "start", outputPath })),
  );
  const recorded = starts.findIndex(({ isError }) => !isError);
  const [paneId, other] = recorded === 0 ? [first, second] : [second, first];
  const refused = starts[1 - recorded]!;
  assertEquals(refused._meta!["tmux-mcp/error"]!.code, "busy");
  const again = await client.fails("record-pane", { paneId: other, action: "start", outputPath });
  assert(again.text.includes(`Pane "${paneId}" is being recorded to ${outputPath}`), again.text);
  const link = join(world.folder, "link.cast");
  await Deno.link(outputPath, link);
  for (const each of [client, await world.serve()]) {
    const { code } = await each.fails("record-pane", { paneId: other, action: "start", outputPath: link });
    assertEquals(code, "busy");
  }
  await type(client, paneId, "whole");
  await client.ok("record-pane", { paneId, action: "stop" });
  const { text } = await readCast(outputPath);
  assert(text.includes("before") && text.includes("whole"));
  await client.ok("record-pane", { paneId: other, action: "start", outputPath });
});
