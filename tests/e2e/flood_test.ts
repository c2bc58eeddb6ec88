// A pane that floods is read through its own pipe for as long as it does; no byte of it is lost or reported twice.
import { assert, assertEquals } from "@std/assert";
import { PIPE_OF } from "../../src/watch/protocol.ts";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { RawClient } from "../support/raw_client.ts";
import { readResult, Watching } from "../support/watching.ts";
import type { TestClient, World } from "../support/world.ts";

/** Long lines are a flood of as many bytes at a fraction of what each line costs. */
const WIDTH = 78;
const FLOOD_LINES = 16_000;
const FLOOD = `seq -f %0${WIDTH}.0f ${FLOOD_LINES}`;
const ROUND_LINES = 4000;
const ROUND = `seq -f %0${WIDTH}.0f ${ROUND_LINES}`;
const ENDLESS = "yes 0123456789012345678901234567890123456789";

/** Floods until this file is there: a busy machine may see a short flood only once it is over. */
function floodUntil(file: string): string {
  return `until [ -e ${file} ]; do ${ROUND}; done`;
}

const test = inTurnOnOneServer("floods");
/** A server with records on disk reads through the pipe until the command ends. */
const unrecorded = inTurnOnOneServer(
  "floods without records",
  (world) => world.serve({ args: ["--no-durable"] }),
);

async function isPiped({ world }: Watching, paneId: string): Promise<boolean> {
  return (await world.tmux("display-message", "-p", "-t", paneId, "#{pane_pipe}")).trim() === "1";
}

/** All lines of a command's output. */
async function readAll(client: TestClient, commandId: string): Promise<string[]> {
  const lines: string[] = [];
  for (;;) {
    const page = { commandId, offset: lines.length, maxLines: 100_000, maxBytes: 1_000_000 };
    const { output, nextOffset } = await client.ok("get-command-result", page);
    lines.push(
      ...output.split("\n").slice(0, nextOffset === undefined ? undefined : nextOffset - lines.length),
    );
    if (nextOffset === undefined) return lines;
  }
}

function line(number: number): string {
  return `${number}`.padStart(WIDTH, "0");
}

function count(to: number): string[] {
  return Array.from({ length: to }, (_, index) => line(index + 1));
}

/** Shows only the lines around the first difference: the lists are too long for a diff. */
function assertSameLines(lines: readonly string[], expected: readonly string[]): void {
  const at = expected.findIndex((line, index) => lines[index] !== line);
  const around = (all: readonly string[]) => all.slice(Math.max(at - 2, 0), at + 3);
  if (at >= 0) assertEquals(around(lines), around(expected), `from line ${at} on`);
  assertEquals(lines.length, expected.length);
}

async function piped(watching: Watching, paneId: string, piped: boolean): Promise<void> {
  await watching.until(async () => await isPiped(watching, paneId) === piped);
}

unrecorded(
  "a pane that floods is read through its pipe, and by the control client again once it is quiet",
  async ({ world, client }) => {
    // If every pane is read through its pipe, a flood changes nothing.
    if (!await world.attaches()) return;
    const watching = new Watching(world, client);
    const paneId = await watching.shellPane();
    const [first, second] = ["first", "second"].map((name) => `${world.folder}/${name}`) as [string, string];
    const flood = (file: string) => `${floodUntil(file)}; echo end`;
    const end = async (file: string): Promise<void> => {
      await piped(watching, paneId, true);
      await Deno.writeTextFile(file, "");
      await watching.until(async () => (await watching.screen(paneId)).trimEnd().endsWith("\nend"));
    };
    const command = `${flood(first)}; read a; echo $a; read b; ${flood(second)}; read c; echo $c`;
    const { commandId } = await client.begin({ paneId, command }, 0.1);
    await end(first);
    await watching.type(paneId, "in the pipe");
    await piped(watching, paneId, false);
    await watching.type(paneId, "out of it");
    await end(second);
    await piped(watching, paneId, false);
    await watching.type(paneId, "over");
    const done = await client.ok("get-command-result", { commandId, waitSeconds: 20 });
    assertEquals([done.status, done.exitCode], ["completed", 0]);
    const lines = await readAll(client, commandId);
    const between = ["end", "in the pipe", "in the pipe", "out of it"];
    const firstEnd = lines.indexOf("end");
    const rounds = (lines: number) => Array(Math.ceil(lines / ROUND_LINES)).fill(count(ROUND_LINES)).flat();
    const floods = [firstEnd, lines.lastIndexOf("end") - firstEnd - between.length].map(rounds);
    assertSameLines(lines, [...floods[0]!, ...between, ...floods[1]!, "end", "over", "over"]);
  },
);

test("two watches and a recording of a pane that floods each have all of it", async ({ world, client }) => {
  const watching = new Watching(world, client);
  const paneId = await watching.waitingPane(`${FLOOD}; echo over; exec cat`);
  // Only one server can read a pane through its pipe.
  const other = await world.attaches() ? await world.serve() : client;
  const outputPath = `${world.folder}/a.cast`;
  await client.ok("record-pane", { paneId, action: "start", outputPath });
  const watches = [watching, new Watching(world, other)].map((each) =>
    each.watch({ paneId, triggers: "pattern:^over$" })
  );
  const begun = await Promise.all(watches);
  await watching.go(paneId);
  for (const { result } of begun) {
    const { totalLines, event } = readResult(await result);
    assertEquals([event, totalLines], ["pattern:^over$", FLOOD_LINES + 1]);
  }
  await client.ok("record-pane", { paneId, action: "stop" });
  const [, ...events] = (await Deno.readTextFile(outputPath)).trimEnd().split("\n").map((row) =>
    JSON.parse(row)
  );
  const text = events.filter(([, kind]) => kind === "o").map(([, , data]) => data).join("");
  const lines = text.slice(text.indexOf(`${line(1)}\r\n`)).split("\r\n").slice(0, -1);
  assertSameLines(lines, [...count(FLOOD_LINES), "over"]);
});

test("a pipe that is a person's stays theirs in a flood, and has all of it", async ({ world, client }) => {
  const watching = new Watching(world, client);
  const paneId = await watching.shellPane();
  const log = `${world.folder}/log`;
  await world.tmux("pipe-pane", "-t", paneId, `cat > ${log}`);
  const args = { paneId, command: FLOOD, maxLines: 10 };
  if (!await world.attaches()) {
    assertEquals((await client.fails("execute-command", args)).code, "busy");
    assert(await isPiped(watching, paneId));
    return;
  }
  const { totalLines, outputTruncated } = await client.ok("execute-command", args);
  assertEquals([totalLines, outputTruncated], [FLOOD_LINES, true]);
  assert(await isPiped(watching, paneId));
  await watching.until(async () => (await Deno.readTextFile(log)).includes(`\n${line(FLOOD_LINES)}\r\n`));
});

test("a pipe that a person starts in a flood is theirs, and the control client continues", async ({ world, client }) => {
  const watching = new Watching(world, client);
  const enough = `${world.folder}/enough`;
  const paneId = await watching.waitingPane(`${floodUntil(enough)}; echo over; exec cat`);
  const { result } = await watching.watch({ paneId, triggers: "pattern:^over$", timeout: 60 });
  await watching.go(paneId);
  await piped(watching, paneId, true);
  const log = `${world.folder}/log`;
  await world.tmux("pipe-pane", "-t", paneId, `cat > ${log}`);
  await Deno.writeTextFile(enough, "");
  if (await world.attaches()) assertEquals(readResult(await result).event, "pattern:^over$");
  else assertEquals((await result)._meta?.["tmux-mcp/error"]?.code, "busy");
  assert(await isPiped(watching, paneId));
  await watching.until(async () => (await Deno.readTextFile(log)).endsWith("over\r\n"));
});

/** True once a pipe has become the program that feeds a reader of the pane. */
async function isRead(world: World, paneId: string): Promise<boolean> {
  const pid = (await world.tmux("display-message", "-p", "#{pid}")).trim();
  const children = (await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`)).trim().split(" ");
  const environments = await Promise.all(
    children.map((child) => Deno.readTextFile(`/proc/${child}/environ`).catch(() => "")),
  );
  return environments.some((each) => each.split("\0").includes(`${PIPE_OF}=${paneId}`));
}

// Elsewhere, processes don't show whose they are.
if (Deno.build.os === "linux") {
  unrecorded(
    "pipe-pane without a file leaves the pipe through which a watch reads a flood",
    async ({ world, client }) => {
      const watching = new Watching(world, client);
      const enough = `${world.folder}/enough`;
      const paneId = await watching.waitingPane(`${floodUntil(enough)}; echo over; exec cat`);
      const { result } = await watching.watch({ paneId, triggers: "pattern:^over$", timeout: 60 });
      await watching.go(paneId);
      await watching.until(() => isRead(world, paneId));
      const { piping } = await client.ok("pipe-pane", { paneId, outputPath: null });
      assertEquals([piping, await isPiped(watching, paneId)], [false, true]);
      await Deno.writeTextFile(enough, "");
      assertEquals(readResult(await result).event, "pattern:^over$");
      await piped(watching, paneId, false);
      const outputPath = `${world.folder}/log`;
      await client.ok("pipe-pane", { paneId, outputPath });
      await client.ok("pipe-pane", { paneId, outputPath: null });
      assertEquals(await isPiped(watching, paneId), false);
    },
  );
}

test("what a server that was killed in a flood left on a pane ends by itself", async ({ world, client }) => {
  const watching = new Watching(world, client);
  const paneId = await watching.waitingPane(`${ENDLESS} | head -n 3000000; exec cat`);
  await using raw = new RawClient(world);
  await raw.initialize();
  const watch = { paneId, triggers: "bell", background: true };
  await raw.call(2, "watch-pane", watch);
  await watching.go(paneId);
  await piped(watching, paneId, true);
  raw.child.kill("SIGKILL");
  await piped(watching, paneId, false);
});

test("trap: tmux holds whatever a pipe's reader does not take: one that stalls loses its pipe", async ({ world, client }) => {
  const watching = new Watching(world, client);
  const stalled = `${world.folder}/stalled`;
  const slowly = `while :; do ${ROUND}; sleep 0.2; done`;
  const paneId = await watching.waitingPane(`${floodUntil(stalled)}; ${slowly}`);
  await using raw = new RawClient(world);
  await raw.initialize();
  await raw.call(2, "watch-pane", { paneId, triggers: "pattern:^never$", background: true });
  await watching.go(paneId);
  await piped(watching, paneId, true);
  raw.child.kill("SIGSTOP");
  await Deno.writeTextFile(stalled, "");
  try {
    await piped(watching, paneId, false);
  } finally {
    raw.child.kill("SIGCONT");
  }
  await world.tmux("send-keys", "-t", paneId, "C-c");
  const { structuredContent } = (await raw.call(3, "watch-events", { waitSeconds: 10 })).result;
  assertEquals(structuredContent.events.map(({ event }: { event: string }) => event), ["gone"]);
  await raw.hangUp();
});
