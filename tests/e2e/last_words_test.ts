// The last output of a program is not lost, and its pane is left as its owner wants it.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { sized } from "../support/sized.ts";
import { readResult, Watching } from "../support/watching.ts";
import { World } from "../support/world.ts";

const test = inTurnOnOneServer("last words");

/** Panes that are read through their pipes need no hold. */
async function holds(world: World): Promise<boolean> {
  return await world.attaches();
}

const ROUNDS = sized({ gate: 4, soak: 12 });
/** tmux itself loses output that it has not read when a program ends: under load in 6 of 600 such panes that stayed (3.3a). */
const BURST = "seq 1 20; echo the end; sleep 0.3; exit 7";
/** More than there is room for between tmux and a client that reads nothing. */
const LINES = 4000;
const END_SHOWN = /^(the end|fatal: READY)$/m;
const END = /(^|\n)20\nthe end$/;

async function options(world: World, paneId: string): Promise<string> {
  return await world.tmux("show-options", "-p", "-t", paneId);
}

async function isDead(world: World, paneId: string): Promise<boolean> {
  return (await world.tmux("display-message", "-p", "-t", paneId, "#{pane_dead}")).trim() === "1";
}

async function panes(world: World): Promise<string[]> {
  return (await world.tmux("list-panes", "-a", "-F", "#{pane_id}")).trim().split("\n");
}

/** Has a program that reads two words print and end while the server reads nothing. */
async function dieUnread(watching: Watching, { server, paneId }: { server: number; paneId: string }) {
  Deno.kill(server, "SIGSTOP");
  try {
    await watching.go(paneId);
    // Nobody can read output that tmux itself has not read when a program ends (3.3a).
    await watching.until(async () => END_SHOWN.test(await watching.screen(paneId)));
    await watching.go(paneId);
    if (await holds(watching.world)) await watching.until(() => isDead(watching.world, paneId));
  } finally {
    Deno.kill(server, "SIGCONT");
  }
}

test("a watch tells the last words of a program whose pane goes with it", async ({ world, client }) => {
  const watching = new Watching(world, client);
  const keep = await watching.pane("cat");
  for (let round = 0; round < ROUNDS; round++) {
    const result = await watching.watchRun(BURST, { triggers: "exit" });
    assertMatch(result.output, END);
    assertEquals([result.event, result.exitCode], ["exit", 7]);
    assertEquals(await panes(world), [keep]);
  }
});

test("a recording and two watches of one pane all have last words that tmux drops", async ({ world, client }) => {
  const watching = new Watching(world, client);
  const keep = await watching.pane("cat");
  await world.tmux("set-option", "-g", "history-limit", "50000");
  const paneId = await watching.waitingPane(
    `stty -echo; seq -f %078.0f ${LINES}; echo the end; read word; exit 7`,
  );
  const outputPath = `${world.folder}/end.cast`;
  await client.ok("record-pane", { paneId, action: "start", outputPath });
  const first = await watching.watch({ paneId, triggers: "exit", timeout: 120 });
  const second = await watching.watch({ paneId, triggers: "pattern:^the end$", timeout: 120 });
  await dieUnread(watching, { server: client.transport.pid!, paneId });
  for (const [{ result }, fired] of [[first, "exit"], [second, "pattern:^the end$"]] as const) {
    const { event, totalLines, output } = readResult(await result);
    assertEquals([event, totalLines], [fired, LINES + 1]);
    assert(output.endsWith(`0${LINES}\nthe end`), output);
  }
  await watching.until(async () => (await panes(world)).join() === keep);
  await client.ok("record-pane", { paneId, action: "stop" });
  const [, ...events] = (await Deno.readTextFile(outputPath)).trim().split("\n").map((line) =>
    JSON.parse(line)
  );
  const printed = events.map(([, , text]) => text).join("").split(/\r+\n/);
  // The first follows the word on the screen.
  const numbers = Array.from({ length: LINES - 1 }, (_, index) => `${index + 2}`.padStart(78, "0"));
  assert(printed.slice(-LINES - 1).join() === [...numbers, "the end", ""].join(), "the file has every line");
});

test(
  "a pane that stays has last words that tmux drops, though rows have new numbers",
  async ({ world, client }, t) => {
    const watching = new Watching(world, client);
    await watching.pane("cat");
    await world.tmux("set-option", "-g", "history-limit", "6000");
    for (
      const [what, before] of [
        ["its width is new", ":"],
        ["its history is full too", "seq 7000"],
        ["it showed the alternate screen", "printf '\\033[?1049h'"],
      ]
    ) {
      await t.step(what!, async () => {
        const flood = `printf '\\033[?1049l'; echo resized; read word; seq -f %078.0f ${LINES}; echo the end`;
        const script = `stty -echo; ${before}; printf again; read word; ${flood}; read word; exit 7`;
        const paneId = await watching.waitingPane(script);
        await watching.go(paneId);
        await watching.until(async () => (await watching.screen(paneId)).includes("again"));
        await world.tmux("set-option", "-p", "-t", paneId, "remain-on-exit", "on");
        if (await world.isTmux(3, 3)) {
          await world.tmux("set-option", "-p", "-t", paneId, "remain-on-exit-format", "error: it's over");
        }
        const { result } = await watching.watch({ paneId, triggers: "error,exit", timeout: 120 });
        const { result: resized } = await watching.watch({ paneId, triggers: "pattern:^resized$" });
        await world.tmux("resize-window", "-t", paneId, "-x", "100");
        await watching.go(paneId);
        assertEquals(readResult(await resized).event, "pattern:^resized$");
        await dieUnread(watching, { server: client.transport.pid!, paneId });
        const { event, totalLines, output } = readResult(await result);
        assertEquals([event, totalLines], ["exit", LINES + 2]);
        assert(output.endsWith(`0${LINES}\nthe end`), output);
      });
    }
  },
);

/** Programs that print nothing more, with a line that the pane shows before the watch. */
const SILENT: readonly [what: string, script: string, change: readonly string[]][] = [
  [
    "rows of a pane that is made narrower",
    "seq -f %070.0f 9; echo error: old news; exec cat",
    ["resize-window", "-x", "40"],
  ],
  ["rows below the cursor", "seq 9; echo error: old news; printf '\\033[H'; exec cat", []],
  [
    "rows of a full-screen program",
    "printf '\\033[?1049h'; seq 9; echo error: old news; printf '\\033[H'; exec cat",
    [],
  ],
];

test("what a pane showed before a watch does not count as its last words", async ({ world, client }, t) => {
  const watching = new Watching(world, client);
  await watching.pane("cat");
  for (const [what, script, [command, ...args]] of SILENT) {
    await t.step(what, async () => {
      const paneId = await watching.pane(script);
      await watching.until(async () => (await watching.screen(paneId)).includes("old news"));
      const { result } = await watching.watch({ paneId, triggers: "error,exit" });
      if (command !== undefined) await world.tmux(command, "-t", paneId, ...args);
      const pid = await world.tmux("display-message", "-p", "-t", paneId, "#{pane_pid}");
      Deno.kill(Number(pid), "SIGKILL");
      const { event, detail, output } = readResult(await result);
      assertEquals([event, output], ["exit", ""], detail);
    });
  }
});

test("what a command printed last comes before its end, and its record agrees", async ({ world, client }) => {
  const watching = new Watching(world, client);
  await watching.pane("cat");
  await world.tmux("set-option", "-g", "history-limit", "50000");
  const server = client.transport.pid!;
  const script = `stty -echo; read word; seq -f %078.0f ${LINES}; echo 'fatal: READY'; read word; exit 3`;
  for (
    const { command, event, ...args } of [
      { command: script, pattern: "READY", triggers: "exit", event: "pattern:READY" },
      { command: `exec sh -c "${script}"`, pattern: "READY", triggers: "exit", event: "pattern:READY" },
      { command: script, triggers: "error", event: "error" },
      { command: script, triggers: "exit", event: "exit" },
    ]
  ) {
    const { paneId } = await client.ok("create-session");
    const watch = client.ok("start-and-watch", { paneId, command, timeout: 120, ...args });
    await watching.until(async () => (await client.ok("pane-state", { paneId })).inputKind === "password");
    await dieUnread(watching, { server, paneId });
    const result = await watch;
    const { commandId } = result;
    const now = await client.ok("get-command-result", { commandId, offset: LINES });
    assertEquals(result.event, event);
    assertMatch(result.output, /(^|\n)fatal: READY(\nlogout)?$/);
    const record = await client.ok("get-command-result", { commandId, offset: LINES, waitSeconds: 20 });
    if (event === "exit") assertEquals(now, record);
    assertEquals([record.status, record.exitCode], ["completed", 3]);
    assertMatch(record.output, /^fatal: READY(\nlogout)?$/);
  }
});

test("a watch leaves a pane's options as they were, and a pane that is to stay alone", async ({ world, client }) => {
  const watching = new Watching(world, client);
  const paneId = await watching.waitingPane(BURST);
  await client.ok("watch-pane", { paneId, triggers: "idle:0.2", timeout: 5 });
  assertEquals(await options(world, paneId), "");
  await world.tmux("set-option", "-p", "-t", paneId, "remain-on-exit", "on");
  const { result } = await watching.watch({ paneId, triggers: "exit" });
  assertEquals((await options(world, paneId)).trim(), "remain-on-exit on");
  await watching.go(paneId);
  assertEquals(readResult(await result).exitCode, 7);
  assertEquals(await panes(world), [paneId]);
  assert(await isDead(world, paneId));
});

Deno.test("a server that ends lets go of the panes it watched", async () => {
  await using world = await World.create();
  const client = await world.serve();
  const watching = new Watching(world, client);
  const paneId = await watching.waitingPane(BURST);
  // No other process learns of its end, so only the server itself can release the pane.
  await client.ok("watch-pane", { paneId, triggers: "exit", background: true });
  if (await holds(world)) assertMatch(await options(world, paneId), /remain-on-exit on/);
  await client.client.close();
  await watching.until(async () => await options(world, paneId) === "");
});

test("a command leaves what its pane would show when it is dead as its owner wrote it", async ({ world, client }) => {
  const watching = new Watching(world, client);
  const paneId = await watching.shellPane();
  // tmux 3.2 has no such option.
  const name = await world.isTmux(3, 3) ? "remain-on-exit-format" : "remain-on-exit";
  const value = await world.isTmux(3, 3) ? 'it\'s "dead" $x ${y} \\$z #{pane_id};' : "on";
  await world.tmux("set-option", "-p", "-t", paneId, name, value);
  const before = await options(world, paneId);
  for (let round = 0; round < 2; round++) {
    await client.ok("execute-command", { paneId, command: "true" });
    await watching.until(async () => await options(world, paneId) === before);
  }
});

test("last words that went with a command's pipe are read off its dead pane", async ({ world, client }) => {
  const watching = new Watching(world, client);
  await watching.pane("cat");
  const server = client.transport.pid!;
  const { paneId } = await client.ok("create-session", { command: "bash --norc" });
  const script = "tmux wait-for begin; echo seen; tmux wait-for end; echo fatal: READY; exit 3";
  const watch = client.ok("start-and-watch", {
    paneId,
    command: `exec sh -c '${script}'`,
    pattern: "READY",
    triggers: "exit",
    timeout: 60,
  });
  const shows = async (format: string, wanted: string): Promise<boolean> =>
    (await world.tmux("display-message", "-p", "-t", paneId, format)).trim() === wanted;
  if (await holds(world)) await watching.until(() => shows("#{pane_pipe}", "1"));
  await world.tmux("wait-for", "-S", "begin");
  const [command] = (await client.ok("list-commands", { paneId })).commands;
  const { commandId } = command;
  await watching.until(async () =>
    (await client.ok("get-command-result", { commandId })).output.endsWith("seen")
  );
  Deno.kill(server, "SIGSTOP");
  try {
    if (await holds(world)) await world.tmux("pipe-pane", "-t", paneId);
    await world.tmux("wait-for", "-S", "end");
    await watching.until(() => isDead(world, paneId));
  } finally {
    Deno.kill(server, "SIGCONT");
  }
  const { event } = await watch;
  const { output, exitCode } = await client.ok("get-command-result", { commandId, waitSeconds: 20 });
  assertEquals([event, output, exitCode], ["pattern:READY", "seen\nfatal: READY", 3]);
});

test("a command that may end its shell runs in a pane with a pipe, which keeps its last words", async ({ world, client }) => {
  const watching = new Watching(world, client);
  await watching.pane("cat");
  const shows = "tmux display-message -p -t $TMUX_PANE '#{pane_pipe}'";
  const printed = async (command: string, paneId?: string): Promise<unknown[]> => {
    const pane = paneId ?? (await client.ok("create-session", { command: "bash --norc" })).paneId;
    const result = await client.ok("execute-command", { paneId: pane, command });
    return [result.output.split("\n")[0], result.exitCode];
  };
  for (const end of ["exit 3", "exec sh -c 'exit 3'", "set -e; (exit 3)"]) {
    assertEquals(await printed(`${shows}; ${end}`), ["1", 3]);
  }
  const { paneId } = await client.ok("create-session", { command: "bash --norc" });
  assertEquals(await printed(shows, paneId), [await holds(world) ? "0" : "1", 0]);
  // A person's pipe stays.
  const log = `${world.folder}/log`;
  if (await holds(world)) await world.tmux("pipe-pane", "-t", paneId, `exec cat > ${log}`);
  assertEquals(await printed("echo seen; (exit 3)", paneId), ["seen", 3]);
  // Their program may write later than the command ends.
  if (await holds(world)) await watching.until(async () => /seen/.test(await Deno.readTextFile(log)));
});
