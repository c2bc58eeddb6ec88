// A program asks, and a person answers it at their own terminal while the call that ran the program waits.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { PersonAtTerminal } from "../support/person.ts";
import { ElicitRequestSchema } from "../support/sdk.ts";
import { ShellPane } from "../support/shell_pane.ts";
import { until } from "../support/until.ts";
import { inOneLine, type TestClient, World } from "../support/world.ts";

const SECRET = "correct-horse-7Q";
const ASKING = `read -s -p "Secret: " word; [ "$word" = ${SECRET} ]`;

async function sessionOf({ world, paneId }: ShellPane): Promise<string> {
  return (await world.tmux("display-message", "-p", "-t", paneId, "#{session_name}")).trim();
}

/** All options of a server that anybody has set, each with its value. */
async function options(world: World): Promise<string> {
  const panes = (await world.tmux("list-panes", "-a", "-F", "#{session_id} #{window_id} #{pane_id}")).split(
    "\n",
  );
  const [sessions, windows, ids] = [0, 1, 2].map((column) =>
    new Set(panes.filter((row) => row !== "").map((row) => row.split(" ")[column]!))
  );
  const commands = [["show-options", "-s"], ["show-options", "-g"]];
  for (const id of sessions!) commands.push(["show-options", "-t", id]);
  for (const id of windows!) commands.push(["show-options", "-w", "-t", id]);
  for (const id of ids!) commands.push(["show-options", "-p", "-t", id]);
  return await world.tmux(...inOneLine(commands));
}

interface Form {
  // deno-lint-ignore no-explicit-any -- a form as the client gets it
  params: any;
  signal: AbortSignal;
  answer(action: "accept" | "decline" | "cancel"): void;
}

/** Forms that the shared server's client has been shown in a step. */
const forms: Form[] = [];

/** A client that shows forms to a person; each form comes with a way to close it. */
async function serveWithForms(world: World): Promise<TestClient> {
  return await world.serve({}, {
    capabilities: { elicitation: {} },
    prepare: (mcp) =>
      mcp.setRequestHandler(
        ElicitRequestSchema,
        ({ params }, { signal }) =>
          new Promise((resolve) =>
            forms.push({
              params,
              signal,
              answer: (action) => resolve(action === "accept" ? { action, content: {} } : { action }),
            })
          ),
      ),
  });
}

const withoutForms = inTurnOnOneServer("a person is asked at a terminal");
const withForms = inTurnOnOneServer("a person is asked by a form too", serveWithForms);

/** Declares a step with a pane of its own, in a tmux that has another. */
function test(name: string, run: (pane: ShellPane) => Promise<void>, shell = "bash --norc"): void {
  withoutForms(name, async ({ world, client }) => run(await openPane(world, client, shell)));
}

function formTest(name: string, run: (pane: ShellPane) => Promise<void>): void {
  withForms(name, async ({ world, client }) => {
    forms.length = 0;
    await run(await openPane(world, client, "bash --norc"));
  });
}

async function openPane(world: World, client: TestClient, shell: string): Promise<ShellPane> {
  await client.ok("create-session", { name: "keep", command: "cat" });
  return await ShellPane.add(world, client, shell);
}

test("people attached see who asks, in their status line, on the window and as a desktop notification", async (pane) => {
  const { world, paneId, client } = pane;
  const session = await sessionOf(pane);
  const beside = await client.ok("create-window", { sessionId: session, name: "beside" });
  await world.tmux("select-window", "-t", beside.windowId);
  await using person = await PersonAtTerminal.attach(world, { session });
  await world.tmux("set-option", "-t", session, "status-right", "mine");
  const before = await options(world);

  const call = client.ok("execute-command", { paneId, command: ASKING, onInput: "person", timeout: 30 });
  await person.untilAsked(/bash waits for a password: Secret:$/m);
  await until(async () => (await person.bytes()).includes(`\x1b]9;tmux: ${paneId} (`));
  const format = "#{window_bell_flag} #{@tmux_mcp_waiting}";
  await until(async () =>
    /^1 .*bash waits for a password: Secret:$/.test(
      (await world.tmux("display-message", "-p", "-t", paneId, format)).trim(),
    )
  );
  assertMatch(await world.tmux("show-options", "-wv", "-t", paneId, "@tmux_mcp_waiting"), /a password/);

  const refused = await client.fails("send-keys", { paneId, keys: "x", literal: true });
  assertEquals(refused.code, "busy");
  assertMatch(refused.text, /a person is answering there/);
  assertEquals((await client.fails("ask-person", { paneId, message: "me too" })).code, "busy");

  await world.tmux("select-window", "-t", paneId);
  await person.type(SECRET);
  const { status, exitCode, handedOver, hint } = await call;
  assertEquals([status, exitCode, hint], ["completed", 0, undefined]);
  assertEquals(handedOver.length, 1);
  const [{ inputKind, prompt, outcome }] = handedOver;
  assertEquals([inputKind, prompt, outcome], ["password", "Secret: ", "answered"]);
  await until(async () => await options(world) === before);
  await person.untilScreen(/mine *$/m);
});

test("the question of another pane is shown again once the first has its answer", async (pane) => {
  const { world, paneId, client } = pane;
  if (!await world.isTmux(3, 3)) return;
  const session = await sessionOf(pane);
  await using person = await PersonAtTerminal.attach(world, { session });
  const other = await client.ok("create-window", { sessionId: session, command: "bash --norc" });
  const first = client.ok("execute-command", { paneId, command: ASKING, onInput: "person", timeout: 30 });
  await person.untilAsked(/: Secret:$/m);
  const args = { paneId: other.paneId, command: "read -p 'Other: '", onInput: "person" };
  const second = client.ok("execute-command", { ...args, timeout: 12 });
  await person.untilAsked(/: Other:$/m);
  await person.type(SECRET);
  assertEquals((await first).status, "completed");

  const shown = async () => (await world.tmux("show-messages")).match(/: Other:$/gm)!.length;
  const before = await shown();
  const again = until(async () => await shown() > before);
  await Promise.race([again, second.then(() => assert(false, "It was not shown again"))]);
  await world.tmux("send-keys", "-t", other.paneId, "Enter");
  assertEquals((await second).status, "completed");
});

test("a program that gives a person some seconds, in vain, was not answered", async (pane) => {
  const { client, world, paneId } = pane;
  await using _person = await PersonAtTerminal.attach(world, { session: await sessionOf(pane) });
  const asking = { paneId, command: "read -t 4 -p 'Go on? '; echo over", onInput: "person", timeout: 30 };
  const { status, output, handedOver, hint } = await client.ok("execute-command", asking);
  assertEquals([status, output, hint], ["completed", "Go on? over", undefined]);
  assertEquals(handedOver.map((each: { outcome: string }) => each.outcome), ["timeout"]);
  await client.ok("execute-command", { ...asking, onInput: "return" });
  const asked = await client.ok("ask-person", { paneId, message: "please", timeout: 30 });
  assertEquals([asked.status, asked.waiting, asked.handedOver[0].outcome], [
    ...["unanswered", undefined, "timeout"],
  ]);
});

test("a person who ends the input has answered", async (pane) => {
  const { client, world, paneId } = pane;
  await using person = await PersonAtTerminal.attach(world, { session: await sessionOf(pane) });
  const call = client.ok("execute-command", { paneId, command: "read -p 'Go on? '", onInput: "person" });
  await person.untilAsked(/: Go on\?$/m);
  await person.press("C-d");
  const { status, exitCode, handedOver } = await call;
  assertEquals([status, exitCode, handedOver[0].outcome], ["completed", 1, "answered"]);
});

test("with status off a person sees the message all the same, and nothing of it afterwards", async (pane) => {
  const { world } = pane;
  await world.tmux("set-option", "-g", "status", "off");
  await using person = await PersonAtTerminal.attach(world, { session: await sessionOf(pane) });
  const call = pane.run("read -p 'Go on? ' word", { onInput: "person", timeout: 30 });
  await person.untilAsked(/waits for a line of input: Go on\?/);
  await person.type("y");
  assertEquals((await call).status, "completed");
  await person.untilScreen(/^(?!.*waits for)/s);
});

test("with nobody there the call returns at once, with the line that opens the pane", async (pane) => {
  // deno-lint-ignore no-explicit-any -- read below
  const { status, waiting, handedOver, hint }: any = await pane.run(ASKING, {
    onInput: "person",
    timeout: 60,
  });
  assertEquals([status, waiting.inputKind, handedOver], ["waiting", "password", undefined]);
  const line = /tmux -S .*$/.exec(hint)![0];
  await using person = await PersonAtTerminal.attach(pane.world, { line });
  await person.untilScreen(/Secret:/);
});

formTest(
  "a client with forms shows one without a field, which ends when the program was answered",
  async (pane) => {
    const { world, client, paneId } = pane;
    const call = client.ok("execute-command", { paneId, command: ASKING, onInput: "person", timeout: 30 });
    await until(() => forms.length === 1);
    const { params, signal } = forms[0]!;
    assertEquals(params.requestedSchema, { type: "object", properties: {} });
    assertMatch(params.message, /bash waits for a password: Secret:\n.*tmux -S .* attach -t/);
    await using person = await PersonAtTerminal.attach(world, {
      line: /tmux -S .*/.exec(params.message)![0],
    });
    await person.type(SECRET);
    const { status, exitCode, handedOver } = await call;
    assertEquals([status, exitCode, handedOver[0].outcome], ["completed", 0, "answered"]);
    await until(() => signal.aborted);
  },
);

for (const action of ["decline", "cancel"] as const) {
  formTest(`a form that is closed with ${action} ends the wait, and the program waits on`, async (pane) => {
    const { world, client, paneId } = pane;
    const before = await options(world);
    const call = client.ok("execute-command", { paneId, command: ASKING, onInput: "person", timeout: 30 });
    await until(() => forms.length === 1);
    forms[0]!.answer(action);
    const { status, handedOver, hint } = await call;
    assertEquals([status, handedOver[0].outcome], ["waiting", "declined"]);
    assertMatch(hint, /tmux -S /);
    assert(!(await options(world)).includes("@tmux_mcp_waiting"));
    await client.ok("send-keys", { paneId, keys: "C-c", literal: false });
    await until(async () => !(await options(world)).includes("@tmux_mcp_typing"));
    assertEquals(before.includes("@tmux_mcp_waiting"), false);
  });
}

formTest(
  "an accepted form that nobody acts on, and a person who does nothing, end with the call's time",
  async ({ client, paneId }) => {
    const call = client.ok("execute-command", {
      paneId,
      command: ASKING,
      onInput: "person",
      timeout: 2,
    });
    await until(() => forms.length === 1);
    forms[0]!.answer("accept");
    const { status, waiting, handedOver } = await call;
    assertEquals([status, waiting.inputKind, handedOver[0].outcome], ["waiting", "password", "timeout"]);
  },
);

test("a handover ends with its call, and a killed server's is undone by the next", async (pane) => {
  const { world, paneId, client } = pane;
  await using person = await PersonAtTerminal.attach(world, { session: await sessionOf(pane) });
  const before = await options(world);
  const { commandId } = await client.ok("execute-command", { paneId, command: ASKING });
  const marked = () => options(world).then((all) => all.includes("@tmux_mcp_waiting"));

  const cancel = new AbortController();
  const asked = { commandId, waitSeconds: 30, onInput: "person" };
  const first = client.call("get-command-result", asked, { signal: cancel.signal }).catch(() => {});
  await until(marked);
  cancel.abort();
  await first;
  await until(async () => !await marked());

  const other = await world.serve();
  void other.call("ask-person", { paneId, message: "please" }).catch(() => {});
  await until(marked);
  Deno.kill(other.transport.pid!, "SIGKILL");
  const next = await world.serve();
  await next.ok("list-panes");
  await until(async () => !await marked());
  await person.type(SECRET);
  const done = await client.ok("get-command-result", { commandId, waitSeconds: 20 });
  assertEquals([done.status, done.exitCode], ["completed", 0]);
  await until(async () => await options(world) === before);
  await next.client.close();
});

withoutForms(
  "ask-person asks about a program that a signal keeps busy for a moment",
  async ({ world, client }) => {
    const handler = "signal.signal(signal.SIGUSR1, lambda *_: time.sleep(0.1))";
    const command = `exec python3 -c 'import signal, time; ${handler}; input("Name? "); time.sleep(60)'`;
    const { paneId } = await client.ok("create-session", { name: "asks", command });
    await until(async () => (await client.ok("pane-state", { paneId })).waitingForInput);
    await using person = await PersonAtTerminal.attach(world, { session: "asks" });
    Deno.kill(Number(await world.tmux("display-message", "-p", "-t", paneId, "#{pane_pid}")), "SIGUSR1");
    const call = client.ok("ask-person", { paneId, message: "Yours", timeout: 30 });
    await person.untilAsked(/waits for a line/);
    await person.type("me");
    assertEquals((await call).handedOver[0].outcome, "answered");
  },
);

test("ask-person has a waiting pane answered, and refuses one where nothing waits", async (pane) => {
  const { world, paneId, client } = pane;
  await using person = await PersonAtTerminal.attach(world, { session: await sessionOf(pane) });
  await client.ok("execute-command", { paneId, command: ASKING });
  const call = client.ok("ask-person", { paneId, message: "Deploy key, please", timeout: 30 });
  await person.untilAsked(/a password: Deploy key, please: Secret:/);
  await person.type(SECRET);
  const { status, handedOver } = await call;
  assertEquals([status, handedOver[0].outcome], ["answered", "answered"]);
  await client.begin({ paneId, command: "sleep 5" }, 0);
  assertEquals((await client.fails("ask-person", { paneId, message: "now?" })).code, "busy");
});

formTest("a pane that is killed while a person is asked was not answered", async (pane) => {
  const { world, paneId, client } = pane;
  const beside = await client.ok("create-session", { name: "beside" });
  const asked = client.ok("execute-command", { paneId, command: ASKING, onInput: "person", timeout: 30 });
  await until(() => forms.length === 1);
  await client.ok("execute-command", { paneId: beside.paneId, command: ASKING });
  const refused = client.fails("ask-person", { paneId: beside.paneId, message: "key", timeout: 30 });
  await until(() => forms.length === 2);
  await world.tmux("kill-pane", "-t", paneId);
  await world.tmux("kill-pane", "-t", beside.paneId);
  const { status, handedOver, waiting } = await asked;
  assertEquals([status, handedOver, waiting], ["lost", undefined, undefined]);
  assertEquals((await refused).code, "gone");
});

test(
  "run-in-repl has a person answer what a program asks, and returns what it then printed",
  async (pane) => {
    const { world, paneId, client } = pane;
    await using person = await PersonAtTerminal.attach(world, { session: await sessionOf(pane) });
    const input = "import getpass; len(getpass.getpass('Token: '))";
    const call = client.ok("run-in-repl", { paneId, input, onInput: "person", timeout: 30 });
    await person.untilAsked(/waits for a password: Token:/);
    await person.type(SECRET);
    const { output, status, handedOver } = await call;
    assertEquals([status, handedOver[0].outcome], [undefined, "answered"]);
    assertStringIncludes(output, `${SECRET.length}`);
  },
  "python3 -q",
);

test("start-and-watch goes on over two questions that a person answers, to what makes it ready", async (pane) => {
  const { world, paneId, client } = pane;
  await using person = await PersonAtTerminal.attach(world, { session: await sessionOf(pane) });
  const asking = (prompt: string) => `read -s -p '${prompt}: ' word`;
  const started = (command: string, args = {}) =>
    client.ok("start-and-watch", { paneId, command, onInput: "person", timeout: 90, ...args });
  const call = started(`${asking("One")}; ${asking("Two")}; printf '\\nlistening\\n'; sleep 60`, {
    pattern: "listening",
    triggers: "exit,bell",
  });
  for (const prompt of ["One", "Two"]) {
    await person.untilAsked(new RegExp(`waits for a password: .*${prompt}:`));
    await person.type(SECRET);
    await person.untilAnswered();
  }
  const { event, handedOver, output, commandId } = await call;
  assertEquals([event, handedOver.map((each: { outcome: string }) => each.outcome)], ["pattern:listening", [
    "answered",
    "answered",
  ]]);
  assert(!output.includes(SECRET));
  await client.ok("send-keys", { paneId, keys: "C-c", literal: false });
  await client.commandResult(commandId);

  await person.press("C-b", "d");
  await until(async () =>
    (await client.ok("list-sessions")).sessions.every((each: { attached: boolean }) => !each.attached)
  );
  const alone = await started(asking("Three"));
  assertEquals([alone.event, alone.handedOver], ["user_input", undefined]);
  assertMatch(alone.hint, /tmux -S /);
});

Deno.test("people are asked rightly by a server whose tmux is slow", async (t) => {
  await using world = await World.create();
  // Removing a notice takes longer than a call waits; where `hold` is, a snapshot waits for its removal.
  const slow = `#!/bin/sh
case "$*" in
*"list-panes -t @"*) sleep 3 ;;
*"list-panes -a"*window_index*) while [ -e hold ]; do : >held; sleep 0.05; done ;;
esac
exec tmux "$@"
`;
  await Deno.writeTextFile(`${world.folder}/slow`, slow, { mode: 0o700 });
  const client = await world.serve({ args: ["--tmux-bin", `${world.folder}/slow`, "--tmux-protocol=false"] });
  const pane = await ShellPane.add(world, client, "bash --norc");
  await using person = await PersonAtTerminal.attach(world, { session: await sessionOf(pane) });

  await t.step("a second question is asked although the notice of the first is removed slowly", async () => {
    const call = client.ok("execute-command", {
      paneId: pane.paneId,
      command: "read -s -p 'One: ' x; echo; read -s -p 'Two: ' y; echo; echo $x$y",
      onInput: "person",
      timeout: 60,
    });
    for (const [prompt, answer] of [["One", "a"], ["Two", "b"]]) {
      await person.untilAsked(new RegExp(`waits for a password: .*${prompt}:`));
      await person.type(answer!);
    }
    const { output, handedOver } = await call;
    assertMatch(output, /^ab$/m);
    assertEquals(handedOver.map((each: { outcome: string }) => each.outcome), ["answered", "answered"]);
  });

  const asking = "python3 -c 'import getpass; getpass.getpass(\"One: \")'";
  const commands = { "execute-command": {}, "start-and-watch": { triggers: "idle:1" } };
  for (const [tool, args] of Object.entries(commands)) {
    await t.step(`${tool} asks nobody about the shell's prompt once a program has its answer`, async () => {
      const call = client.ok(tool, {
        ...args,
        paneId: pane.paneId,
        command: `cd ${world.folder}; touch hold; ${asking}; touch done`,
        onInput: "person",
        timeout: 30,
      });
      const exists = (name: string) => () =>
        Deno.stat(`${world.folder}/${name}`).then(() => true, () => false);
      await until(exists("held"));
      await person.type("a");
      await until(exists("done"));
      await pane.untilScreen(/[$#]$/);
      await Deno.remove(`${world.folder}/hold`);
      const { status, event, handedOver } = await call;
      for (const name of ["held", "done"]) await Deno.remove(`${world.folder}/${name}`);
      assertEquals([status ?? event, handedOver.map((each: { outcome: string }) => each.outcome)], [
        tool === "execute-command" ? "completed" : "idle:1",
        ["answered"],
      ]);
    });
  }
});

formTest(
  "a person who is asked stays asked once clients are detached as soon as they attach",
  async ({ world, client, paneId }) => {
    if (!await world.attaches()) return;
    const asked = { paneId, command: ASKING, onInput: "person", triggers: "exit", timeout: 30 };
    const started = client.ok("start-and-watch", asked);
    await until(() => Promise.resolve(forms.length === 1));
    const session = (await world.tmux("display-message", "-p", "-t", paneId, "#{session_id}")).trim();
    await world.tmux("set-hook", "-g", "client-attached", `detach-client -s '${session}'`);
    await world.tmux("detach-client", "-s", session);
    const piped = () => world.tmux("display-message", "-p", "-t", paneId, "#{pane_pipe}");
    await until(async () => (await piped()).trim() === "1");
    await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 20 });
    await world.tmux("send-keys", "-t", paneId, SECRET, "Enter");
    const { event, exitCode, handedOver } = await started;
    assertEquals([event, exitCode, handedOver?.[0]?.outcome, forms.length], ["exit", 0, "answered", 1]);
  },
);

Deno.test("the line that attaches names the tmux program of the configuration", async () => {
  await using world = await World.create();
  await world.tmux("new-session", "-d", "-s", "work", "cat");
  const { stdout } = await new Deno.Command("which", { args: ["tmux"] }).output();
  const bin = `${world.folder}/own-tmux`;
  await Deno.symlink(new TextDecoder().decode(stdout).trim(), bin);
  const client = await world.serve({ args: [`--tmux-bin=${bin}`] });
  await client.ok("watch-pane", { paneId: "%0", triggers: "user_input", timeout: 100 });
  const { hint } = await client.ok("ask-person", { paneId: "%0", message: "Type" });
  assertStringIncludes(hint, `: ${bin} -S ${world.socket} attach `);
});
