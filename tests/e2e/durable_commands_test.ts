// Commands whose server was killed: a later one has their exit code and all of their output.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { throughDeathsInTurn, throughOneDeath } from "../support/killed_server.ts";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { filesLike, filesOf } from "../support/record_files.ts";
import { launch } from "../support/launched.ts";
import { testSideBySide } from "../support/side_by_side.ts";
import { sized } from "../support/sized.ts";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

const apart = testSideBySide("records of commands, and servers of their own each");

async function newPane(client: TestClient): Promise<string> {
  const { paneId } = await client.ok("create-session", {});
  return paneId;
}

const atOnce = throughOneDeath("a command that runs, or is over, when its server is killed");
const inTurn = throughDeathsInTurn("a command whose server is killed at once");
const beside = throughDeathsInTurn("a command of one server, and another server beside it");
const test = inTurnOnOneServer("a command that a pipe copies");

atOnce("a finished command is read by a later server: exit code, output, how long it took", async (lives) => {
  const { server: first } = lives;
  const paneId = await newPane(first);
  const command = "printf 'one\\ntwo\\n'; (exit 3)";
  const before = await first.ok("execute-command", { paneId, command });
  await lives.kill();
  const after = await (await lives.serve()).commandResult(before.commandId);
  assertEquals(after, before);
});

atOnce(
  "a command that runs on without a server completes in a later one, with each line once",
  async (lives) => {
    const { world, server: first } = lives;
    const paneId = await newPane(first);
    const gate = join(world.folder, "gate-each-line");
    const command = `seq 1 500; while [ ! -e ${gate} ]; do sleep 0.3; done; seq 501 900; (exit 7)`;
    const { commandId } = await first.begin({ paneId, command }, 1);
    await lives.kill();
    await Deno.writeTextFile(gate, "");
    const second = await lives.serve();
    const { status, exitCode, output, outputTruncated } = await second.commandResult(commandId);
    assertEquals({ status, exitCode }, { status: "completed", exitCode: 7 });
    // tmux 3.2 has no pipe that outlives the server, but its screen has the rest.
    assertEquals(output.split("\n"), Array.from({ length: 900 }, (_, index) => String(index + 1)));
    assertEquals(outputTruncated, undefined);
    assertEquals(await world.tmux("display-message", "-p", "-t", paneId, "#{pane_pipe}"), "0\n");
  },
);

inTurn(
  "a command in the background is not lost, however soon its server is killed after the answer",
  async (lives) => {
    const { world, server: first } = lives;
    const paneId = await newPane(first);
    const gate = join(world.folder, "gate-soon");
    const command = `echo begun; while [ ! -e ${gate} ]; do sleep 0.3; done; echo over; (exit 4)`;
    const { commandId } = await first.ok("execute-command", { paneId, command, background: true });
    await lives.kill();
    const second = await lives.serve();
    // A second server while the command still runs, and a third.
    assertEquals((await second.commandResult(commandId, 1)).status, "running");
    await lives.kill();
    const third = await lives.serve();
    assertEquals((await third.commandResult(commandId, 1)).status, "running");
    await Deno.writeTextFile(gate, "");
    const { status, exitCode, output, outputTruncated } = await third.commandResult(commandId);
    assertEquals({ status, exitCode }, { status: "completed", exitCode: 4 });
    // Its pipe began without its server: what was printed until then is read from the screen.
    assertEquals([output, outputTruncated], ["begun\nover", undefined]);
  },
);

beside(
  "another server names the command that keeps a pane busy, before and after its own server is killed",
  async (lives) => {
    const { server: first } = lives;
    const second = await lives.beside();
    for (
      const [command, says] of [["sleep 600", "runs there. Wait for it"], [
        "read answer",
        "waiting for a line",
      ]]
    ) {
      const paneId = await newPane(first);
      const { commandId } = await first.begin({ paneId, command }, 1);
      const { code, text } = await second.fails("execute-command", { paneId, command: "echo no" });
      assertEquals(code, "busy");
      assertStringIncludes(text, `command "${commandId}" runs there`);
      assertStringIncludes(text, says!);
    }
    const paneId = await newPane(first);
    const { commandId } = await first.begin({ paneId, command: "sleep 600" }, 1);
    await lives.kill();
    const { text } = await second.fails("execute-command", { paneId, command: "echo no" });
    assertStringIncludes(text, `command "${commandId}" runs there. Wait for it with get-command-result`);
  },
);

inTurn("a flood whose server is killed in its middle is read to its last line by the next", async (lives) => {
  const { world, server: first } = lives;
  // No pipe outlives its server there: the screen alone has the rest.
  if (!await world.attaches()) return;
  const paneId = await newPane(first);
  // Half of it takes tmux longer than the server takes to die.
  const lines = sized({ gate: 300_000, soak: 1_000_000 });
  const gate = join(world.folder, "gate-flood");
  const wait = `while [ ! -e ${gate} ]; do sleep 0.01; done`;
  const { commandId } = await first.begin({
    paneId,
    command: `seq 1 ${lines / 2}; ${wait}; seq ${lines / 2 + 1} ${lines}`,
  }, 0.5);
  // From here on nothing is lost: tmux copies to a file what this server does not read, and all before that is on disk.
  await until(async () => {
    const [record = ""] = await filesOf(world, commandId, /\.json$/);
    return (await Deno.readTextFile(record)).includes('"piece":1');
  });
  await Deno.writeTextFile(gate, "");
  await lives.kill();
  const second = await lives.serve();
  const { status, exitCode, totalLines, output } = await second.ok("get-command-result", {
    commandId,
    waitSeconds: 60,
    maxLines: 5,
    offset: lines - 5,
    fold: false,
  });
  assertEquals({ status, exitCode, totalLines, output }, {
    status: "completed",
    exitCode: 0,
    totalLines: lines,
    output: Array.from({ length: 5 }, (_, index) => `${lines - 4 + index}`).join("\n"),
  });
});

atOnce(
  "a shell's own question that shows a ^C is waiting in the next server too, and not lost",
  async (lives) => {
    const { world, server: first } = lives;
    const paneId = await newPane(first);
    const command = "sleep 6; read -p '(^C aborts) name? ' word; echo hi $word";
    const { commandId } = await first.begin({ paneId, command }, 0.5);
    await until(async () =>
      (await first.ok("get-command-result", { commandId, waitSeconds: 20 })).status === "waiting"
    );
    await lives.kill();
    const second = await lives.serve();
    // The server would take a shell for being back at its prompt after two inspections a second apart.
    for (let times = 0; times < 4; times++) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      assertEquals((await second.ok("get-command-result", { commandId, waitSeconds: 1 })).status, "waiting");
    }
    await world.tmux("send-keys", "-t", paneId, "you", "Enter");
    const { status, output } = await second.commandResult(commandId, 20);
    assertEquals([status, output], ["completed", "(^C aborts) name? you\nhi you"]);
  },
);

beside("two servers at once: one reads what the other runs, and neither takes it away", async (lives) => {
  const { world, server: one } = lives;
  const two = await lives.beside();
  const paneId = await newPane(one);
  const gate = join(world.folder, "gate-two");
  const command = `echo begun; while [ ! -e ${gate} ]; do sleep 0.3; done; (exit 5)`;
  const running = one.call("execute-command", { paneId, command });
  const known = async () => (await two.ok("list-commands", { paneId })).commands;
  await until(async () => (await known()).length > 0);
  const [{ commandId }] = await known();
  await until(async () => (await two.commandResult(commandId, 0)).output !== "");
  const { status, output } = await two.commandResult(commandId, 0);
  assertEquals({ status, output }, { status: "running", output: "begun" });
  await Deno.writeTextFile(gate, "");
  const [answer, inTwo] = await Promise.all([running, two.commandResult(commandId)]);
  const inOne = answer.structuredContent;
  assertEquals([inOne.commandId, inOne.status, inOne.exitCode], [commandId, "completed", 5]);
  assertEquals([inTwo.status, inTwo.exitCode, inTwo.output], ["completed", 5, "begun"]);
});

apart(
  "a command that began later than now, because the clock was set back, has run for no time",
  async () => {
    await using world = await World.create();
    const first = await world.serve();
    const paneId = await newPane(first);
    await first.ok("execute-command", { paneId, command: "true" });
    await first.ok("execute-command", { paneId, command: "sleep 1000", background: true });
    const texts = async () => {
      const paths = await filesLike(world, /^c\d+\.json$/);
      return await Promise.all(paths.map(async (path) => [path, await Deno.readTextFile(path)] as const));
    };
    // From here on the first server writes no more; on tmux 3.2 no pipe copies the output.
    const last = ['"ended":', ...(await world.attaches() ? ['"piece":1'] : [])];
    await until(async () => {
      const all = await texts();
      return last.every((field) => all.some(([, text]) => text.includes(field)));
    });
    for (const [path, text] of await texts()) {
      await Deno.writeTextFile(path, text.replace(/"started":\d+/g, `"started":${Date.now() + 3_600_000}`));
    }
    const second = await world.serve();
    const { commands } = await second.ok("list-commands", {});
    assertEquals(commands.map((each: { elapsed: number }) => each.elapsed), [0, 0]);
    for (const { commandId, status } of commands) {
      const { elapsed } = await second.ok("get-command-result", { commandId });
      // One that runs counts from the moment at which this server read it.
      assert(status === "running" ? elapsed >= 0 : elapsed === 0, `${status}: ${elapsed}`);
    }
  },
);

atOnce("a command whose pane is closed without a server is lost, with the reason", async (lives) => {
  const { world, server: first } = lives;
  const paneId = await newPane(first);
  const { commandId } = await first.begin({ paneId, command: "sleep 100" }, 0.5);
  await newPane(first);
  await lives.kill();
  await world.tmux("kill-pane", "-t", paneId);
  const { status, reason, exitCode } = await (await lives.serve()).commandResult(commandId);
  assertEquals([status, exitCode], ["lost", undefined]);
  assertStringIncludes(reason, "pane was closed");
});

test("a person's own pipe is left alone", async ({ world, client }) => {
  const paneId = await newPane(client);
  const log = join(world.folder, "log");
  await world.tmux("pipe-pane", "-t", paneId, `exec cat >${log}`);
  const call = { paneId, command: "echo mine; sleep 1.5; echo yours" };
  if (!await world.attaches()) {
    assertEquals((await client.fails("execute-command", call)).code, "busy");
    return assertEquals(await world.tmux("display-message", "-p", "-t", paneId, "#{pane_pipe}"), "1\n");
  }
  const done = await client.ok("execute-command", call);
  assertEquals(done.output, "mine\nyours");
  assertEquals(await world.tmux("display-message", "-p", "-t", paneId, "#{pane_pipe}"), "1\n");
  assertStringIncludes(await Deno.readTextFile(log), "yours");
});

test("a command whose reader is detached while a person's pipe is in the way gets its own pipe afterwards", async ({ world, client }) => {
  if (!await world.attaches()) return;
  const paneId = await newPane(client);
  const piped = async () => (await world.tmux("display-message", "-p", "-t", paneId, "#{pane_pipe}")).trim();
  await world.tmux("pipe-pane", "-t", paneId, "exec cat >/dev/null");
  const { commandId } = await client.begin({ paneId, command: "sleep 100" }, 0.5);
  const readers = async () => (await world.readers()).filter((reader) => reader.includes("pause-after"));
  const [reader = ""] = await readers();
  await world.tmux("detach-client", "-t", reader.split(" ")[0]!);
  await until(async () => (await readers()).some((each) => each !== reader));
  await world.tmux("pipe-pane", "-t", paneId);
  await until(async () => await piped() === "1");
  await client.ok("send-keys", { paneId, keys: "C-c", literal: false });
  assertEquals((await client.commandResult(commandId)).exitCode, 130);
});

test("what is on disk was on the screen: no secret of a mark, nothing typed unseen, for its user alone", async ({ world, client: first }) => {
  const paneId = await newPane(first);
  const command = "read -s -p 'Password: ' password; echo thanks; sleep 1; echo done";
  const { commandId, status } = await first.begin({ paneId, command }, 20);
  // Only now its terminal does not echo.
  assertEquals(status, "waiting");
  await first.ok("send-keys", { paneId, keys: "sesame-open", literal: true, enter: true });
  await first.commandResult(commandId);
  const root = join(world.folder, ".local/state/tmux-mcp");
  const read = async (): Promise<string> => {
    let all = "";
    for (const path of await filesIn(root)) {
      assertEquals(((await Deno.stat(path)).mode ?? 0) & 0o077, 0, path);
      all += await Deno.readTextFile(path);
    }
    return all;
  };
  // A pipe may write the mark after the end of the command; then it is cut off.
  await until(async () => !/133;D;\d+;[0-9a-f]{32}/.test(await read()));
  const text = await read();
  assertStringIncludes(text, "thanks");
  assert(!text.includes("sesame-open"));
});

apart("durable.enabled = false keeps everything in memory", async () => {
  await using world = await World.create();
  const first = await world.serve({ args: ["--no-durable"] });
  const paneId = await newPane(first);
  const { commandId } = await first.ok("execute-command", { paneId, command: "sleep 0.5; echo over" });
  assertEquals(await filesIn(join(world.folder, ".local")), []);
  await first.kill();
  const second = await world.serve();
  assertEquals((await second.fails("get-command-result", { commandId })).code, "not-found");
});

apart("tmux-mcp clean exits with 1 for what is no folder, and with 0 for one that is missing", async () => {
  await using world = await World.create();
  const path = join(world.folder, "records");
  assertEquals((await launch(["clean", "--durable-path", path], world)).code, 0);
  await Deno.writeTextFile(path, "");
  const { code, stderr } = await launch(["clean", "--durable-path", path], world);
  assertEquals(code, 1);
  assertMatch(stderr, /Cannot read ".*records": .*--durable-path/);
});

apart("tmux-mcp clean removes what has ended, and leaves what a live server runs", async () => {
  await using world = await World.create();
  const client = await world.serve();
  const paneId = await newPane(client);
  const done = await client.ok("execute-command", { paneId, command: "echo over" });
  const running = await client.begin({ paneId, command: "cat" }, 1);
  const doctor = await launch(["doctor"], { env: world.env });
  assertStringIncludes(doctor.stdout, `${join(world.folder, ".local/state/tmux-mcp")} (2 records`);
  const { code, stdout } = await launch(["clean"], { env: world.env });
  assertEquals(code, 0);
  assertStringIncludes(stdout, "Removed 1 record,");
  const left = (await filesIn(join(world.folder, ".local/state"))).filter((path) => path.endsWith(".json"));
  assertEquals(left.length, 1);
  await client.kill();
  const next = await world.serve();
  assertEquals((await next.fails("get-command-result", { commandId: done.commandId })).code, "not-found");
  assertEquals((await next.commandResult(running.commandId, 0)).status, "running");
});

for (const off of ["--no-durable", "--mask=literal:word"]) {
  apart(`tmux-mcp clean removes, and doctor reports, what was kept before ${off}`, async () => {
    await using world = await World.create();
    const client = await world.serve();
    await client.ok("execute-command", { paneId: await newPane(client), command: "echo word" });
    await client.kill();
    const doctor = () => launch(["doctor", off, "--socket", world.socket], { env: world.env });
    assertMatch(
      (await doctor()).stdout,
      /partly +records +kept only in memory, but .*\n +fix: \/.*\/scripts\/tmux-mcp clean\n/,
    );
    const { code, stdout } = await launch(["clean", off], { env: world.env });
    assertEquals(code, 0);
    assertStringIncludes(stdout, "Removed 1 record,");
    assertEquals(await filesIn(join(world.folder, ".local/state")), []);
    assertMatch((await doctor()).stdout, /works +records +kept only in memory/);
  });
}

async function filesIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  try {
    for await (const entry of Deno.readDir(folder)) {
      const path = join(folder, entry.name);
      found.push(...entry.isDirectory ? await filesIn(path) : [path]);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return found;
}
