// Commands that run while their pane goes to another session, or loses the clients that read it.
import { assertEquals, assertMatch } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { ShellPane } from "../support/shell_pane.ts";
import { filesLike } from "../support/record_files.ts";
import { sized } from "../support/sized.ts";
import { until } from "../support/until.ts";

/** Detaches the clients that are there, and settles once tmux no longer lists them. */
async function detachAll({ world }: ShellPane): Promise<void> {
  const listed = async (): Promise<string[]> =>
    (await world.tmux("list-clients", "-F", "#{client_name}")).split("\n").filter(Boolean);
  const names = await listed();
  await Promise.all(names.map((name) => world.tmux("detach-client", "-t", name).catch(ignoreGone)));
  await until(async () => !(await listed()).some((name) => names.includes(name)));
}

/** A client can leave by itself after it was listed. */
function ignoreGone(error: unknown): void {
  if (!String(error).includes("can't find client")) throw error;
}

const inTurn = inTurnOnOneServer("panes that move or lose their clients");

/** Declares a step with a pane of its own, in a tmux that has another. */
function test(name: string, run: (pane: ShellPane) => Promise<void>, shell = "bash --norc"): void {
  inTurn(name, async ({ world, client }) => {
    await client.ok("create-session", { name: "keep", command: "cat" });
    await run(await ShellPane.add(world, client, shell));
  });
}

const MOVES: Record<string, (pane: ShellPane, other: string) => Promise<unknown>> = {
  "whose clients are detached": detachAll,
  "that joins another session": ({ world, paneId }, other) =>
    world.tmux("join-pane", "-d", "-s", paneId, "-t", other),
};

test("a command whose clients are detached as it begins has no gap where it prints nothing meanwhile", async (pane) => {
  if (!await pane.world.attaches()) return;
  const running = pane.run("echo first; read x; echo last", { onInput: "wait" });
  await pane.untilScreen(/^first$/m);
  await detachAll(pane);
  // A pipe whose start tmux had not confirmed to its client ends with it.
  await until(async () => (await pane.world.readers()).some((reader) => reader.includes("pause-after")));
  await pane.world.tmux("send-keys", "-t", pane.paneId, "Enter");
  const { status, output, outputTruncated } = await running;
  assertEquals([status, output, outputTruncated], ["completed", "first\n\nlast", undefined]);
});

for (const [what, move] of Object.entries(MOVES)) {
  test(`a running command in a pane ${what} keeps its output whole`, async (pane) => {
    const { world, client, paneId } = pane;
    if (!await world.attaches()) return;
    const { paneId: other } = await client.ok("create-session", { command: "cat", width: 100, height: 30 });
    await client.ok("split-pane", { paneId });
    const counting = "i=0; while [ $i -lt 400 ]; do i=$((i+1)); echo $i; sleep 0.005; done";
    const { commandId } = await pane.begin(counting, 1);
    const pipe = () => world.tmux("display-message", "-p", "-t", paneId, "#{pane_pipe}");
    await until(async () => (await pipe()).trim() === "1");
    await move(pane, other);
    const result = await client.ok("get-command-result", { commandId, waitSeconds: 30, maxLines: 500 });
    const { status, output, outputTruncated } = result;
    const all = Array.from({ length: 400 }, (_, at) => `${at + 1}`).join("\n");
    assertEquals([status, output, outputTruncated], ["completed", all, undefined]);
  });
}

test("a running command whose clients are detached again and again keeps running", async (pane) => {
  const { world, client } = pane;
  if (!await world.attaches()) return;
  const { commandId } = await pane.begin("echo printed; read x; echo $x", 1);
  for (let times = 0; times < sized({ gate: 8, soak: 30 }); times++) {
    await until(async () => (await world.readers()).some((reader) => reader.includes("pause-after")));
    await detachAll(pane);
  }
  await world.tmux("send-keys", "-t", pane.paneId, "typed", "Enter");
  const { status, output } = await client.ok("get-command-result", { commandId, waitSeconds: 20 });
  assertEquals([status, output], ["completed", "printed\ntyped\ntyped"]);
});

/** Detaches every client of the pane's session that attaches from now on. */
async function refuseClients(pane: ShellPane): Promise<void> {
  const { world, paneId } = pane;
  const session = (await world.tmux("display-message", "-p", "-t", paneId, "#{session_id}")).trim();
  // Without a session, detach-client may take another of the server's clients, and one then stays attached.
  await world.tmux("set-hook", "-g", "client-attached", `detach-client -s '${session}'`);
  await detachAll(pane);
}

async function isPiped({ world, paneId }: ShellPane): Promise<boolean> {
  return (await world.tmux("display-message", "-p", "-t", paneId, "#{pane_pipe}")).trim() === "1";
}

/** Types until the command's output has what the terminal echoes. */
async function untilRead({ world, client, paneId }: ShellPane): Promise<void> {
  const { commands: [{ commandId }] } = await client.ok("list-commands");
  await until(async () => {
    await world.tmux("send-keys", "-t", paneId, "a");
    const { output } = await client.ok("get-command-result", { commandId, fold: false });
    return /missing here.*\na+$/s.test(output);
  });
}

/** Types until the pane's own pipe copies what the terminal echoes. */
async function untilCopied({ world, paneId }: ShellPane): Promise<void> {
  await until(async () => {
    await world.tmux("send-keys", "-t", paneId, "b");
    const [path] = await filesLike(world, /^c\d+\.1$/);
    return path !== undefined && (await Deno.readTextFile(path)).includes("bb");
  });
}

const REFUSED: Record<string, { args?: string[]; isCopied?: true }> = {
  "a running command": { isCopied: true },
  "a command that began just now": {},
  "a command without a record": { args: ["--durable=false"] },
};

for (const [what, { args = [], isCopied }] of Object.entries(REFUSED)) {
  Deno.test(`${what} is read through a pipe where its clients are detached as soon as they attach`, async () => {
    await using pane = await ShellPane.open("bash --norc", args);
    const { world, client, paneId } = pane;
    if (!await world.attaches()) return;
    const { commandId } = await pane.begin("echo printed; read x; echo seen $x; (exit 3)", 0.3);
    if (isCopied) await untilCopied(pane);
    await refuseClients(pane);
    await untilRead(pane);
    await world.tmux("send-keys", "-t", paneId, "Enter");
    const result = await client.ok("get-command-result", { commandId, waitSeconds: 20, onInput: "wait" });
    const { status, exitCode, output } = result;
    assertEquals([status, exitCode], ["completed", 3]);
    assertMatch(output, /^printed\n.*output is missing here.*\na+\nseen b*a+$/s);
    const next = await pane.run("echo next");
    assertEquals([next.status, next.output], ["completed", "next"]);
    await until(async () => !await isPiped(pane));
    if (args.length > 0) return;
    await client.kill();
    const later = await (await world.serve()).commandResult(commandId);
    assertEquals([later.status, later.exitCode, later.output], [status, exitCode, output]);
  });
}

test("start-and-watch sees what comes once its clients are detached as soon as they attach", async (pane) => {
  const { world, client, paneId } = pane;
  if (!await world.attaches()) return;
  const started = client.ok("start-and-watch", {
    paneId,
    command: "echo printed; head -n 1; read x; echo seen $x; sleep 60",
    triggers: "shell,pattern:^seen",
    timeout: 30,
  });
  await until(() => isPiped(pane));
  await refuseClients(pane);
  await untilRead(pane);
  await world.tmux("send-keys", "-t", paneId, "Enter");
  await pane.untilRunning("fish");
  // The shell reads for the command, not at its prompt.
  await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 10 });
  await world.tmux("send-keys", "-t", paneId, "typed", "Enter");
  const { event, detail } = await started;
  assertEquals([event, detail], ["pattern:^seen", "Matched: seen typed"]);
}, "fish");

for (const [what, refuse] of [["", undefined], [" once its clients are refused", refuseClients]] as const) {
  test(`a watch on a command that is over takes no prompt for a question${what}`, async (pane) => {
    const { world, client, paneId } = pane;
    if (!await world.attaches()) return;
    const triggers = "user_input,pattern:^late";
    const earlier = await client.ok("list-commands");
    const started = client.ok("start-and-watch", { paneId, command: "echo early", triggers, timeout: 30 });
    await until(async () => {
      const [last] = (await client.ok("list-commands")).commands;
      return last?.status === "completed" && last.commandId !== earlier.commands[0]?.commandId;
    });
    await refuse?.(pane);
    if (refuse) await until(() => isPiped(pane));
    // For a watch on the pane, the same prompt is a question.
    await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 10 });
    await world.tmux("send-keys", "-t", paneId, "echo late", "Enter");
    const { event, output, commandId } = await started;
    assertEquals([event, output], ["pattern:^late", refuse ? "" : "early"]);
    const record = await client.ok("get-command-result", { commandId });
    assertEquals([record.output, record.outputTruncated], ["early", undefined]);
  });
}

test("a stopped command ends after its clients were refused, and has no output of others", async (pane) => {
  const { world, client, paneId } = pane;
  if (!await world.attaches()) return;
  const triggers = "exit,pattern:^never";
  const started = client.ok("start-and-watch", { paneId, command: "head -n 1", triggers, timeout: 30 });
  await pane.untilRunning("head");
  await world.tmux("send-keys", "-t", paneId, "C-z");
  const { commands: [{ commandId }] } = await client.ok("list-commands");
  const read = () => client.ok("get-command-result", { commandId, fold: false });
  await until(async () => (await read()).stopped === true);
  await refuseClients(pane);
  await until(() => isPiped(pane));
  await world.tmux("send-keys", "-t", paneId, "echo other", "Enter");
  await pane.untilScreen(/^other$/m);
  await world.tmux("send-keys", "-t", paneId, "fg", "Enter");
  await pane.untilRunning("head");
  await world.tmux("send-keys", "-t", paneId, "text", "Enter");
  assertEquals((await started).event, "exit");
  const { output, outputTruncated } = await read();
  assertEquals([output.includes("other"), outputTruncated], [false, undefined]);
});
