// A program asks in a command whose server was killed: a later one says so, and has a person answer.
import { assertEquals } from "@std/assert";
import { type Lives, throughOneDeath } from "../support/killed_server.ts";
import { PersonAtTerminal } from "../support/person.ts";
import { filesLike } from "../support/record_files.ts";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

const WORD = "later-word-3";
const ASKING = `read -s -p 'Secret: ' word; sleep 0.3; [ "$word" = ${WORD} ]`;

const test = throughOneDeath("a command that asks, or works, when its server is killed");

/** Runs a command in a session of its own until its server is killed. */
async function started(lives: Lives, session: string, command: string) {
  const { paneId } = await lives.server.ok("create-session", { name: session, command: "bash --norc" });
  const { commandId } = await lives.server.begin({ paneId, command }, 1);
  await lives.kill();
  return { commandId, paneId };
}

test("a later server reports the question of a command, before the answer and after it", async (lives) => {
  const { commandId, paneId } = await started(
    lives,
    "twice",
    `read -p 'Which? ' word; read -p 'Sure? ' sure`,
  );
  const second = await lives.serve();
  for (const prompt of ["Which? ", "Sure? "]) {
    const asked = await second.ok("get-command-result", { commandId, waitSeconds: 30 });
    assertEquals([asked.status, asked.waiting.prompt, asked.waiting.inputKind], ["waiting", prompt, "line"]);
    await second.ok("send-keys", { paneId, keys: "yes", literal: true, enter: true });
  }
  const done = await second.ok("get-command-result", { commandId, waitSeconds: 30 });
  assertEquals([done.status, done.exitCode, done.waiting], ["completed", 0, undefined]);
});

test("a later server has a person answer a command, and reads its exit code", async (lives) => {
  const { commandId } = await started(lives, "work", ASKING);
  await using person = await PersonAtTerminal.attach(lives.world, { session: "work" });
  const second = await lives.serve();
  const call = second.ok("get-command-result", { commandId, waitSeconds: 30, onInput: "person" });
  await person.untilAsked(/waits for a password: Secret:/);
  await person.type(WORD);
  const { status, exitCode, handedOver } = await call;
  assertEquals([status, exitCode], ["completed", 0]);
  assertEquals([handedOver.length, handedOver[0].outcome], [1, "answered"]);
});

test("a later server takes no command that works for one that asks", async (lives) => {
  const { commandId } = await started(lives, "works", "sleep 5; echo over");
  const second = await lives.serve();
  const done = await second.ok("get-command-result", { commandId, waitSeconds: 30 });
  // Without a pipe that outlived the server nobody knows how a command ended that was over before the next server came.
  if (!await lives.world.attaches() && done.status === "lost") return;
  assertEquals([done.status, done.output], ["completed", "over"]);
});

Deno.test("the question of a command that a live server runs is seen by another one", async () => {
  await using world = await World.create();
  const [first, second] = [await world.serve(), await world.serve()];
  const { paneId } = await first.ok("create-session", { command: "bash --norc" });
  const { commandId } = await first.begin({ paneId, command: ASKING }, 1);
  const asked = await second.ok("get-command-result", { commandId, waitSeconds: 30 });
  assertEquals([asked.status, asked.waiting.inputKind], ["waiting", "password"]);
});

Deno.test("list-commands shows what works and what waits for input, before what has ended, in every server", async () => {
  await using world = await World.create();
  const first = await world.serve();
  for (const command of [ASKING, "sleep 100"]) {
    const { paneId } = await first.ok("create-session", { command: "bash --norc" });
    await first.begin({ paneId, command }, 1);
  }
  const { paneId } = await first.ok("create-session", { command: "bash --norc" });
  await first.ok("execute-command", { paneId, command: "true" });
  const second = await world.serve();
  // The newer one that has ended is beyond the limit.
  const statuses = async (client: TestClient): Promise<string[]> => {
    const { commands, total } = await client.ok("list-commands", { limit: 2 });
    assertEquals(total, 3);
    return commands.map(({ status }: { status: string }) => status);
  };
  assertEquals(await statuses(first), ["running", "waiting"]);
  assertEquals(await statuses(second), ["running", "waiting"]);
  await first.kill();
  // Without a pipe that outlived the server, a shell that reads for its command may be at its prompt as well.
  if (!await world.attaches()) return;
  assertEquals(await statuses(second), ["running", "waiting"]);
});

Deno.test("a command whose server was killed while the shell was taking it asks nothing", async () => {
  await using world = await World.create();
  const first = await world.serve();
  const sessions = ["one", "two", "three", "four"].map((name) =>
    first.ok("create-session", { name, command: "bash --norc" })
  );
  const panes: string[] = (await Promise.all(sessions)).map(({ paneId }) => paneId);
  await Promise.all(panes.map((paneId) => first.ok("execute-command", { paneId, command: "true" })));
  const calls = panes.map((paneId) =>
    first.call("execute-command", { paneId, command: "true" }).catch(() => {})
  );
  await until(async () => (await filesLike(world, /^c[5-8]\.json$/)).length > 0);
  await first.kill();
  await Promise.all(calls);
  const second = await world.serve();
  const { commands } = await second.ok("list-commands", {});
  for (const { commandId } of commands) {
    const { status, waiting } = await second.ok("get-command-result", { commandId, waitSeconds: 30 });
    assertEquals([["completed", "lost"].includes(status), waiting], [true, undefined], commandId);
  }
});
