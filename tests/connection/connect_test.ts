// The engine as a library, on a private tmux: its errors, its limits, and what stays when it is closed.
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  AppError,
  ConfigError,
  connectTmux,
  type ErrorCode,
  type TmuxConnection,
} from "../../src/connection/connect.ts";
import { World } from "../support/world.ts";

function connect({ env, socket }: World): TmuxConnection {
  return connectTmux({ env, socket });
}

async function failsWith(code: ErrorCode, call: Promise<unknown>): Promise<void> {
  assertEquals((await assertRejects(() => call, AppError)).code, code);
}

Deno.test("no pane is listed where no server runs, and a created session's pane is", async () => {
  await using world = await World.create();
  await using tmux = connect(world);
  assertEquals(await tmux.listPanes(), []);
  const made = await tmux.createSession({ name: "mine", width: 90, height: 20 });
  const [pane] = await tmux.listPanes();
  assertEquals([pane?.paneId, pane?.sessionName, pane?.width, pane?.height], [made.paneId, "mine", 90, 20]);
  assertEquals((await tmux.createSession({ name: "mine" })).created, false);
  await tmux.killSession("mine");
  assertEquals(await tmux.listPanes(), []);
});

Deno.test("errors have the code of what failed", async () => {
  await using world = await World.create();
  await using tmux = connect(world);
  const { paneId } = await tmux.createSession();
  await failsWith("not-found", tmux.run("%99", "true"));
  await failsWith("not-found", tmux.result("c9-nothing"));
  await failsWith("incomplete-command", tmux.run(paneId, "echo 'open"));
  await failsWith("invalid-argument", tmux.watch(paneId, { triggers: "sunrise" }));
  await failsWith("invalid-argument", tmux.watch([]));
  await failsWith("invalid-argument", tmux.watch(paneId, { timeout: NaN }));
  await failsWith("invalid-argument", tmux.run(paneId, "true", { timeout: -1 }));
  await failsWith("invalid-argument", tmux.type(paneId, { keys: ["C-c", "Entre"] }));
  await using unspeakable = connectTmux({ env: world.env, socket: "a\0b" });
  await failsWith("invalid-argument", unspeakable.listPanes());
  const option = { env: world.env, scope: "all", shellTyp: "sh" };
  assertThrows(() => connectTmux(option), ConfigError, "shellTyp");
});

Deno.test("a pane is named by its id alone, not as tmux's own commands name one", async () => {
  await using world = await World.create();
  await using tmux = connect(world);
  await tmux.createSession({ name: "develop" });
  for (const name of ["develop", "dev", "", "$0", "@0", "{last}", "%00"]) {
    const calls = [
      () => tmux.capture(name),
      () => tmux.capture(name, { lines: 5 }),
      () => tmux.watch(name, { timeout: 0 }),
      () => tmux.watch(["%0", name], { timeout: 0 }),
      () => tmux.state(name),
      () => tmux.type(name, "x"),
      () => tmux.run(name, "true"),
      () => tmux.start(name, "true"),
    ];
    for (const call of calls) await failsWith("not-found", call());
  }
});

Deno.test("a command that is not over in time keeps running, fails the next one as busy, and is read later", async () => {
  await using world = await World.create();
  await using tmux = connect(world);
  const { paneId } = await tmux.createSession();
  const begun = await tmux.run(
    paneId,
    "echo begun; tmux wait-for go; exit_with() { return $1; }; exit_with 4",
    // A busy machine takes more than a second to start it.
    { timeout: 3 },
  );
  assertEquals(begun.status, "running");
  await failsWith("busy", tmux.run(paneId, "true"));
  await world.tmux("wait-for", "-S", "go");
  const ended = await tmux.result(begun.commandId, { timeout: 60 });
  assertEquals([ended.status, ended.exitCode, ended.output], ["completed", 4, "begun"]);
});

Deno.test("a command that asks ends the call, and what is typed answers it", async () => {
  await using world = await World.create();
  await using tmux = connect(world);
  const { paneId } = await tmux.createSession();
  const asked = await tmux.run(paneId, 'bash -c \'read -p "Name? " name; echo "<$name>"\'', { timeout: 60 });
  assertEquals([asked.status, asked.waiting?.prompt, asked.waiting?.inputKind], [
    "waiting",
    "Name? ",
    "line",
  ]);
  await tmux.type(paneId, "x; y", { enter: true });
  const ended = await tmux.result(asked.commandId, { timeout: 60 });
  assert(ended.output.endsWith("<x; y>"), ended.output);
});

Deno.test("a signal ends the wait and not the program, and closing leaves panes as they are", async () => {
  await using world = await World.create();
  const tmux = connect(world);
  const { paneId } = await tmux.createSession({ command: "cat" });
  const stop = new AbortController();
  const watching = tmux.watch(paneId, { triggers: "exit", timeout: 60, signal: stop.signal });
  stop.abort(new Error("enough"));
  await assertRejects(() => watching, Error, "enough");
  await tmux.type(paneId, { keys: ["x"] }, { enter: true });
  assertEquals((await tmux.watch(paneId, { triggers: "user_input", timeout: 60 })).event, "user_input");
  assertEquals((await tmux.state(paneId)).foregroundCmd, "cat");
  await tmux.close();
  assertEquals(await world.readers(), []);
  await assertRejects(() => tmux.run(paneId, "true"));
  await tmux.close();
});
