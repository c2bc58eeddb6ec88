// A pane that floods is read through its own pipe for as long as it does; no byte of it is lost or reported twice.
import { assert, assertEquals } from "@std/assert";
import { PIPE_OF } from "../../src/watch/protocol.ts";
import { RawClient } from "../support/raw_client.ts";
import { readResult, Watching } from "../support/watching.ts";
import { type TestClient, World } from "../support/world.ts";

const FLOOD_LINES = 200_000;
const FLOOD = `seq 1 ${FLOOD_LINES}`;
/** Until the word that is typed comes, more lines of digits. */
const ENDLESS = "yes 0123456789012345678901234567890123456789";

async function begin(
  args: readonly string[] = [],
): Promise<{ world: World; watching: Watching; paneId: string }> {
  const world = await World.create();
  const watching = new Watching(world, await world.serve({ args }));
  return { world, watching, paneId: await watching.shellPane() };
}

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

function count(to: number): string[] {
  return Array.from({ length: to }, (_, index) => `${index + 1}`);
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

Deno.test("a pane that floods is read through its pipe, and by the control client again once it is quiet", async () => {
  // A server with records on disk reads through the pipe until the command ends.
  const { world, watching, paneId } = await begin(["--no-durable"]);
  await using _ = world;
  // If every pane is read through its pipe, a flood changes nothing.
  if (!await world.attaches()) return;
  const { client } = watching;
  // A busy machine may see a short flood only once it is over.
  const [first, second] = ["first", "second"].map((name) => `${world.folder}/${name}`) as [string, string];
  const flood = (file: string) => `until [ -e ${file} ]; do ${FLOOD}; done; echo end`;
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
  const rounds = (lines: number) => Array(Math.ceil(lines / FLOOD_LINES)).fill(count(FLOOD_LINES)).flat();
  const floods = [firstEnd, lines.lastIndexOf("end") - firstEnd - between.length].map(rounds);
  assertSameLines(lines, [...floods[0]!, ...between, ...floods[1]!, "end", "over", "over"]);
});

Deno.test("two watches and a recording of a pane that floods each have all of it", async () => {
  const { world, watching } = await begin();
  await using _ = world;
  const paneId = await watching.waitingPane(`${FLOOD}; echo over; exec cat`);
  // Only one server can read a pane through its pipe.
  const other = await world.attaches() ? await world.serve() : watching.client;
  const outputPath = `${world.folder}/a.cast`;
  await watching.client.ok("record-pane", { paneId, action: "start", outputPath });
  const watches = [watching, new Watching(world, other)].map((each) =>
    each.watch({ paneId, triggers: "pattern:^over$" })
  );
  const begun = await Promise.all(watches);
  await watching.go(paneId);
  for (const { result } of begun) {
    const { totalLines, event } = readResult(await result);
    assertEquals([event, totalLines], ["pattern:^over$", FLOOD_LINES + 1]);
  }
  await watching.client.ok("record-pane", { paneId, action: "stop" });
  const [, ...events] = (await Deno.readTextFile(outputPath)).trimEnd().split("\n").map((row) =>
    JSON.parse(row)
  );
  const text = events.filter(([, kind]) => kind === "o").map(([, , data]) => data).join("");
  const lines = text.slice(text.indexOf("1\r\n")).split("\r\n").slice(0, -1);
  assertSameLines(lines, [...count(FLOOD_LINES), "over"]);
});

Deno.test("a pipe that is a person's stays theirs in a flood, and has all of it", async () => {
  const { world, watching, paneId } = await begin();
  await using _ = world;
  const log = `${world.folder}/log`;
  await world.tmux("pipe-pane", "-t", paneId, `cat > ${log}`);
  const args = { paneId, command: FLOOD, maxLines: 10 };
  if (!await world.attaches()) {
    assertEquals((await watching.client.fails("execute-command", args)).code, "busy");
    assert(await isPiped(watching, paneId));
    return;
  }
  const { totalLines, outputTruncated } = await watching.client.ok("execute-command", args);
  assertEquals([totalLines, outputTruncated], [FLOOD_LINES, true]);
  assert(await isPiped(watching, paneId));
  await watching.until(async () => (await Deno.readTextFile(log)).includes(`\n${FLOOD_LINES}\r\n`));
});

Deno.test("a pipe that a person starts in a flood is theirs, and the control client continues", async () => {
  const { world, watching } = await begin();
  await using _ = world;
  const paneId = await watching.waitingPane(`${ENDLESS} | head -n 500000; echo over; exec cat`);
  const { result } = await watching.watch({ paneId, triggers: "pattern:^over$", timeout: 60 });
  await watching.go(paneId);
  await piped(watching, paneId, true);
  const log = `${world.folder}/log`;
  await world.tmux("pipe-pane", "-t", paneId, `cat > ${log}`);
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

Deno.test({
  name: "pipe-pane without a file leaves the pipe through which a watch reads a flood",
  // Elsewhere, processes don't show whose they are.
  ignore: Deno.build.os !== "linux",
  async fn() {
    const { world, watching } = await begin(["--no-durable"]);
    await using _ = world;
    const file = `${world.folder}/enough`;
    const command = `until [ -e ${file} ]; do ${FLOOD}; done; echo over; exec cat`;
    const paneId = await watching.waitingPane(command);
    const { result } = await watching.watch({ paneId, triggers: "pattern:^over$", timeout: 60 });
    await watching.go(paneId);
    await watching.until(() => isRead(world, paneId));
    const { piping } = await watching.client.ok("pipe-pane", { paneId, outputPath: null });
    assertEquals([piping, await isPiped(watching, paneId)], [false, true]);
    await Deno.writeTextFile(file, "");
    assertEquals(readResult(await result).event, "pattern:^over$");
    await piped(watching, paneId, false);
    const outputPath = `${world.folder}/log`;
    await watching.client.ok("pipe-pane", { paneId, outputPath });
    await watching.client.ok("pipe-pane", { paneId, outputPath: null });
    assertEquals(await isPiped(watching, paneId), false);
  },
});

Deno.test("what a server that was killed in a flood left on a pane ends by itself", async () => {
  const { world, watching } = await begin();
  await using _ = world;
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

Deno.test("trap: tmux holds whatever a pipe's reader does not take: one that stalls loses its pipe", async () => {
  const { world, watching } = await begin();
  await using _ = world;
  const paneId = await watching.waitingPane(`${ENDLESS}`);
  const raw = new RawClient(world);
  await raw.initialize();
  await raw.call(2, "watch-pane", { paneId, triggers: "pattern:^never$", background: true });
  await watching.go(paneId);
  await piped(watching, paneId, true);
  raw.child.kill("SIGSTOP");
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
