// Commands that end while no server runs and nothing copies their output: a later server has their exit code.
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { throughDeathsInTurn, throughOneDeath } from "../support/killed_server.ts";
import { prlimit } from "../support/prlimit.ts";
import { RawClient } from "../support/raw_client.ts";
import { filesOf } from "../support/record_files.ts";
import { until } from "../support/until.ts";
import { type TestClient, World } from "../support/world.ts";

/** A command that ends once a file is there, and then leaves one. */
class Gate {
  readonly path: string;

  constructor(world: World, name: string) {
    this.path = join(world.folder, `${name}-${crypto.randomUUID()}`);
  }

  command(exitCode: number, { isFish = false } = {}): string {
    return `echo begun; ${this.wait(isFish)}; echo over; : >${this.path}.ended; sh -c 'exit ${exitCode}'`;
  }

  wait(isFish = false): string {
    return isFish
      ? `while not test -e ${this.path}; sleep 0.3; end`
      : `while [ ! -e ${this.path} ]; do sleep 0.3; done`;
  }

  async open(): Promise<void> {
    await Deno.writeTextFile(this.path, "");
    await until(() => Deno.stat(`${this.path}.ended`).then(() => true, () => false));
  }

  async close(): Promise<void> {
    for (const path of [this.path, `${this.path}.ended`]) await Deno.remove(path);
  }
}

async function atPrompt(client: TestClient, command: string): Promise<string> {
  const { paneId } = await client.ok("create-session", { command });
  await until(async () => (await client.ok("pane-state", { paneId })).waitingForInput);
  return paneId;
}

/** True once a server's lease keeps the pane when its shell ends. */
async function isKept(world: World, paneId: string, { transport }: TestClient): Promise<boolean> {
  const lease = await world.tmux("display-message", "-p", "-t", paneId, "#{@tmux_mcp_holder}");
  return lease.includes(String(transport.pid));
}

async function livePanes(world: World): Promise<string[]> {
  const panes = await world.tmux("list-panes", "-a", "-F", "#{pane_id} #{pane_dead}");
  return panes.split("\n").filter((pane) => pane.endsWith(" 0")).map((pane) => pane.split(" ")[0]!);
}

/** Panes go once their exit codes are known, as they would have without this server. */
async function untilClosed(world: World, panes: readonly string[]): Promise<void> {
  await until(async () => {
    const left = (await world.tmux("list-panes", "-a", "-F", "#{pane_id}")).split("\n");
    return panes.every((paneId) => !left.includes(paneId));
  });
}

// deno-lint-ignore no-explicit-any -- a result
const brief = ({ status, exitCode, output }: any) => ({ status, exitCode, output });

const inTurn = throughDeathsInTurn("a command that ends without a server, soon after its own was killed");
const atOnce = throughOneDeath("a command that ends without a server, in a pane that was followed");
/** Nothing copies the output for a later server: beside a control client, a pipe would. */
const unattached = throughOneDeath("a command that ends without a server, without attaching", [
  "--attach=false",
]);

inTurn(
  "a command that ends before another server comes keeps its exit code and output, in any shell",
  async (lives) => {
    const { world, server: first } = lives;
    const shells = ["bash --norc", "zsh -f", "fish --no-config", "dash -i", "mksh", "yash --norc", "ksh"];
    const panes = await Promise.all(shells.map((shell) => atPrompt(first, shell)));
    const gates = shells.map((_, index) => new Gate(world, `gate-${index}`));
    const begun = await Promise.all(gates.map((gate, index) =>
      first.ok("execute-command", {
        paneId: panes[index],
        command: gate.command(10 + index, { isFish: shells[index]!.startsWith("fish") }),
        background: true,
      })
    ));
    await lives.kill();
    await Promise.all(gates.map((gate) => gate.open()));
    const second = await lives.serve();
    const found = await Promise.all(begun.map(({ commandId }) => second.commandResult(commandId)));
    const expected = shells.map((_, index) => ({
      status: "completed",
      exitCode: 10 + index,
      output: "begun\nover",
    }));
    assertEquals(found.map(brief), expected);
    // The screen shows the same prompt right after it; but that of fish has the exit code in it.
    const flagged = shells.filter((shell, index) =>
      found[index].outputTruncated && !shell.startsWith("fish")
    );
    assertEquals(flagged, []);
  },
);

inTurn("a command that ended its shell, which is not the pane's, is lost", async (lives) => {
  const { world, server: first } = lives;
  const paneId = await atPrompt(first, "bash --norc");
  await first.ok("send-keys", { paneId, keys: "dash -i", literal: true, enter: true });
  await until(async () => {
    const { shell, waitingForInput } = await first.ok("pane-state", { paneId });
    return shell === "dash" && waitingForInput;
  });
  const gate = new Gate(world, "gate");
  const command = `${gate.wait()}; : >${gate.path}.ended; exit 3`;
  const { commandId } = await first.ok("execute-command", { paneId, command, background: true });
  await lives.kill();
  await gate.open();
  const second = await lives.serve();
  const { status, reason } = await second.commandResult(commandId);
  assertEquals([status, reason.split(",")[0]], ["lost", "Its shell ended"]);
  assertEquals((await second.ok("execute-command", { paneId, command: "echo next" })).output, "next");
});

/** Begins a command that prints, waits for its gate, prints again and fails, in a bash of its own. */
async function beginGated(world: World, server: TestClient) {
  const paneId = await atPrompt(server, "bash --norc");
  const gate = new Gate(world, "gate");
  const call = { paneId, command: gate.command(6), background: true };
  const { commandId } = await server.ok("execute-command", call);
  return { paneId, gate, commandId };
}

/** Settles once a pipe copies what a command prints, and returns its record; tmux 3.2 has no such pipe. */
async function untilCopied(world: World, commandId: string): Promise<string> {
  if (await world.attaches()) await until(async () => (await filesOf(world, commandId, /\.1$/)).length === 1);
  const [record = ""] = await filesOf(world, commandId, /\.json$/);
  return record;
}

/** Does the same, and waits until the server has recorded that, and so all that was printed before. */
async function untilPiped(world: World, commandId: string): Promise<string> {
  const record = await untilCopied(world, commandId);
  const isPiped = async () => (await Deno.readTextFile(record)).includes('"piece":1');
  if (await world.attaches()) await until(isPiped);
  return record;
}

if (Deno.build.os === "linux") {
  inTurn("a command whose end no disk could take keeps its exit code", async (lives) => {
    const { world, server: first } = lives;
    const { gate, commandId } = await beginGated(world, first);
    const record = await untilPiped(world, commandId);
    await prlimit(first, `--fsize=${(await Deno.stat(record)).size}:unlimited`);
    await gate.open();
    const before = await first.commandResult(commandId);
    assertEquals([before.status, before.exitCode], ["completed", 6]);
    await lives.kill();
    const after = await (await lives.serve()).commandResult(commandId);
    assertEquals(brief(after), { status: "completed", exitCode: 6, output: "begun\nover" });
  });
}

atOnce(
  "output is whole though its server was killed before it had recorded the pipe that copies it",
  async (lives) => {
    const { world, server: first } = lives;
    const { gate, commandId } = await beginGated(world, first);
    const record = await untilCopied(world, commandId);
    await lives.kill();
    await gate.open();
    // Each line is a state; the first is from before the pipe.
    const [begun] = (await Deno.readTextFile(record)).trim().split("\n");
    await Deno.writeTextFile(record, `${begun}\n`);
    const result = await (await lives.serve()).commandResult(commandId);
    assertEquals(brief(result), { status: "completed", exitCode: 6, output: "begun\nover" });
    assertEquals(result.outputTruncated, undefined);
  },
);

atOnce(
  "output is whole though its pipe came later, because the word exit gave the pane another one",
  async (lives) => {
    const { world, server: first } = lives;
    const paneId = await atPrompt(first, "bash --norc");
    const gate = new Gate(world, "gate");
    const counts = "for i in 1 2 3 4 5 6 7 8 9; do echo $i; sleep 0.1; done";
    const call = { paneId, command: `${counts}; ${gate.command(6)}; (exit 7)`, background: true };
    const { commandId } = await first.ok("execute-command", call);
    await untilPiped(world, commandId);
    await lives.kill();
    await gate.open();
    const result = await (await lives.serve()).commandResult(commandId);
    assertEquals(brief(result), {
      status: "completed",
      exitCode: 7,
      output: "1\n2\n3\n4\n5\n6\n7\n8\n9\nbegun\nover",
    });
    assertEquals(result.outputTruncated, undefined);
  },
);

atOnce(
  "output is whole though the pane had another pipe long after a later server had taken over",
  async (lives) => {
    const { world, server: first } = lives;
    // Without a control client, no command runs beside another pipe.
    if (!await world.attaches()) return;
    const [other, gate] = [new Gate(world, "other"), new Gate(world, "gate")];
    const paneId = await atPrompt(first, "bash --norc");
    await world.tmux("pipe-pane", "-I", "-O", "-t", paneId, other.wait());
    const call = { paneId, command: gate.command(6), background: true };
    const { commandId } = await first.ok("execute-command", call);
    await lives.kill();
    const second = await lives.serve();
    // It has tried to copy the output, more than once.
    await until(async () => {
      const [record = ""] = await filesOf(world, commandId, /\.json$/);
      return (await Deno.readTextFile(record)).includes('"isCut":true');
    });
    await Deno.writeTextFile(other.path, "");
    await untilCopied(world, commandId);
    await gate.open();
    const result = await second.commandResult(commandId);
    assertEquals(brief(result), { status: "completed", exitCode: 6, output: "begun\nover" });
    assertEquals(result.outputTruncated, undefined);
  },
);

atOnce(
  "a command that ends its own shell has its exit code when a later server watched it",
  async (lives) => {
    const { world, server: first } = lives;
    const shells = ["bash --norc", "zsh -f", "dash -i"];
    const panes = await Promise.all(shells.map((shell) => atPrompt(first, shell)));
    const gates = shells.map((_, index) => new Gate(world, `gate-${index}`));
    const begun = await Promise.all(gates.map((gate, index) =>
      first.ok("execute-command", {
        paneId: panes[index],
        command: `${gate.command(0)}; exit ${20 + index}`,
        background: true,
      })
    ));
    await lives.kill();
    const second = await lives.serve();
    // tmux 3.2 may crash: there the hold of the first server stays.
    for (const paneId of await world.attaches() ? panes : []) {
      await until(() => isKept(world, paneId, second));
    }
    await Promise.all(gates.map((gate) => gate.open()));
    const found = await Promise.all(begun.map(({ commandId }) => second.commandResult(commandId)));
    assertEquals(
      found.map(({ status, exitCode, paneAlive }) => [status, exitCode, paneAlive]),
      shells.map((_, index) => ["completed", 20 + index, false]),
    );
    await untilClosed(world, panes);
  },
);

inTurn(
  "a command that ends its own shell while no server runs has its exit code and output",
  async (lives) => {
    const { world, server: first } = lives;
    const shells = ["bash --norc", "zsh -f", "dash -i", "fish --no-config"];
    const panes = await Promise.all(shells.map((shell) => atPrompt(first, shell)));
    const [gates, ends] = ["gate", "end"].map((name) =>
      shells.map((_, index) => new Gate(world, `${name}-${index}`))
    ) as [Gate[], Gate[]];
    const begun = await Promise.all(gates.map((gate, index) => {
      const isFish = shells[index]!.startsWith("fish");
      const command = `${gate.command(0, { isFish })}; ${ends[index]!.wait(isFish)}; exit ${20 + index}`;
      return first.ok("execute-command", { paneId: panes[index], command, background: true });
    }));
    await lives.kill();
    await Promise.all(gates.map((gate) => gate.open()));
    // tmux 3.3 loses what a program prints as it ends.
    for (const paneId of panes) {
      await until(async () => (await world.tmux("capture-pane", "-p", "-t", paneId)).includes("\nover\n"));
    }
    for (const end of ends) await Deno.writeTextFile(end.path, "");
    await until(async () => {
      const alive = await livePanes(world);
      return panes.every((paneId) => !alive.includes(paneId));
    });
    const second = await lives.serve();
    const found = await Promise.all(begun.map(({ commandId }) => second.commandResult(commandId)));
    const withoutExit = (output: string): string => output.replace(/\nexit$/, "");
    assertEquals(
      found.map((each) => [each.status, each.exitCode, each.paneAlive, withoutExit(each.output)]),
      shells.map((_, index) => ["completed", 20 + index, false, "begun\nover"]),
    );
    assertEquals(found.filter(({ outputTruncated }) => outputTruncated), []);
    await untilClosed(world, panes);
  },
);

inTurn(
  "a command keeps its own exit code when its shell ended later, while no server runs",
  async (lives) => {
    const { world, server: first } = lives;
    const paneId = await atPrompt(first, "bash --norc");
    const gate = new Gate(world, "gate");
    const call = { paneId, command: gate.command(5), background: true };
    const { commandId } = await first.ok("execute-command", call);
    await lives.kill();
    await gate.open();
    await until(async () => /over\nbash\S+ *\n/.test(await world.tmux("capture-pane", "-p", "-t", paneId)));
    await world.tmux("send-keys", "-t", paneId, "exit 6", "Enter");
    await until(async () => !(await livePanes(world)).includes(paneId));
    const result = await (await lives.serve()).commandResult(commandId);
    assertEquals(brief(result), { status: "completed", exitCode: 5, output: "begun\nover" });
    assertEquals(result.outputTruncated, true);
  },
);

atOnce(
  "watches of a program that ends while no server runs fire in order, with its exit code",
  async (lives) => {
    const { world, server: first } = lives;
    const gate = new Gate(world, "gate");
    const { paneId } = await first.ok("create-session", {
      command: `sh -c '${gate.command(0).replace(/; sh .*/, "")}; exit 9'`,
    });
    const watch = { paneId, background: true, timeout: 60 };
    const begun = [
      await first.ok("watch-pane", { ...watch, triggers: "exit" }),
      await first.ok("watch-pane", { ...watch, triggers: "pattern:over" }),
    ];
    const keeps = await world.attaches();
    if (keeps) await until(() => isKept(world, paneId, first));
    await lives.kill();
    await gate.open();
    await until(async () => !(await livePanes(world)).includes(paneId));
    await lives.serve();
    const fired = await lives.eventsOf(begun.map(({ watchId }) => watchId));
    assertEquals(
      fired.map(({ event, exitCode }) => [event, exitCode]),
      keeps ? [["pattern:over", undefined], ["exit", 9]] : [["exit", undefined], ["gone", undefined]],
    );
    await untilClosed(world, [paneId]);
  },
);

inTurn("the exit code is known though the pane was closed after the command had ended", async (lives) => {
  const { world, server: first } = lives;
  const paneId = await atPrompt(first, "bash --norc");
  const gate = new Gate(world, "gate");
  const call = { paneId, command: gate.command(30), triggers: "exit", background: true };
  const { commandId, watchId } = await first.ok("start-and-watch", call);
  await lives.kill();
  await gate.open();
  await until(async () => (await filesOf(world, commandId, /\.json\.30$/)).length === 1);
  await world.tmux("kill-pane", "-t", paneId);
  const second = await lives.serve();
  const { status, exitCode, paneAlive } = await second.commandResult(commandId);
  assertEquals([status, exitCode, paneAlive], ["completed", 30, false]);
  const [end] = await lives.eventsOf([watchId]);
  assertEquals([end?.event, end?.exitCode, end?.commandId], ["exit", 30, commandId], end?.detail);
});

inTurn("a command begun in a pane whose history is full is joined by the next server", async (lives) => {
  const { world, server: first } = lives;
  const paneId = await atPrompt(first, "bash --norc");
  await first.ok("execute-command", { paneId, command: "seq 1 5000" });
  const gate = new Gate(world, "gate");
  const call = { paneId, command: gate.command(8), background: true };
  // The history shows an earlier run of it.
  const before = await first.ok("execute-command", call);
  await gate.open();
  await first.commandResult(before.commandId);
  await gate.close();
  const { commandId } = await first.ok("execute-command", call);
  await lives.kill();
  const second = await lives.serve();
  // It has looked at the pane, and has begun to copy what that prints.
  await until(async () =>
    (await world.tmux("display-message", "-p", "-t", paneId, "#{pane_pipe}")) === "1\n"
  );
  await gate.open();
  const result = await second.commandResult(commandId);
  assertEquals(brief(result), { status: "completed", exitCode: 8, output: "begun\nover" });
  assertEquals(result.outputTruncated, undefined);
});

for (const isCleared of [false, true]) {
  const what = isCleared ? "kept, though it is cleared," : "whole";
  Deno.test(`output is ${what} after a later server has come, and before the shell draws its prompt`, async () => {
    await using world = await World.create();
    const first = await world.serve();
    const prompt = new Gate(world, "prompt");
    await Deno.writeTextFile(prompt.path, "");
    const { paneId } = await first.ok("create-session", {
      command: "bash --norc",
      environment: { PROMPT_COMMAND: `${prompt.wait()}${isCleared ? "; clear" : ""}` },
    });
    const command = "echo one; read word; (exit 3)";
    const { commandId } = await first.ok("execute-command", { paneId, command, timeout: 20 });
    await first.kill();
    await Deno.remove(prompt.path);
    await world.tmux("send-keys", "-t", paneId, "more", "Enter");
    await until(async () => (await filesOf(world, commandId, /\.json\.3$/)).length === 1);
    await world.tmux("set-hook", "-g", "after-capture-pane", "set-option -ga @captures x");
    const second = await world.serve();
    const over = new AbortController();
    const result = second.commandResult(commandId).finally(() => over.abort());
    // It has read the screen at its first look, with eight captures, and at the next, or a pipe has copied the end.
    const captures = () => world.tmux("display-message", "-p", "#{@captures}");
    await until(async () => over.signal.aborted || (await captures()).length > 12);
    await Deno.writeTextFile(prompt.path, "");
    const { status, exitCode, output, outputTruncated } = await result;
    assertEquals([status, exitCode, output], ["completed", 3, "one\nmore"]);
    // A pipe may have copied the end, too.
    if (!isCleared) assertEquals(outputTruncated, undefined);
  });
}

unattached("without attaching, the exit code of a command that ended meanwhile is known", async (lives) => {
  const { world, server: first } = lives;
  const paneId = await atPrompt(first, "bash --norc");
  const gate = new Gate(world, "gate");
  const { commandId } = await first.begin({ paneId, command: gate.command(9) }, 0.5);
  await lives.kill();
  await gate.open();
  const second = await lives.serve();
  const result = await second.commandResult(commandId);
  assertEquals(brief(result), { status: "completed", exitCode: 9, output: "begun\nover" });
  assertEquals(result.outputTruncated, undefined);
});

// Only root can give a file to another user.
if (Deno.uid() === 0) {
  unattached("a root shell's file of an exit status outlives the takeover of its folder", async (lives) => {
    const { world, server: first } = lives;
    const { gate, commandId } = await beginGated(world, first);
    await lives.kill();
    await gate.open();
    const statuses = (): Promise<string[]> => filesOf(world, commandId, /\.json\.\d+$/);
    await until(async () => (await statuses()).length === 1);
    await Deno.chown((await statuses())[0]!, 65534, null);
    const result = await (await lives.serve()).commandResult(commandId);
    assertEquals(brief(result), { status: "completed", exitCode: 6, output: "begun\nover" });
  });
}

unattached(
  "output read off the screen is flagged where it shows no prompt after it, or may show one in its middle",
  async (lives) => {
    const { world, server: first } = lives;
    const prompt = "bash-5# ";
    const texts = [`${prompt}in it`, prompt.trim(), "no newline"];
    const begun: { commandId: string; gate: Gate }[] = [];
    for (const [index, text] of texts.entries()) {
      const paneId = await atPrompt(first, `PS1='${prompt}' bash --norc`);
      const gate = new Gate(world, `gate-${index}`);
      const print = `printf '${text}${text.endsWith("line") ? "" : "\\n"}'`;
      const command = gate.command(7).replace("echo over", `echo over; ${print}`);
      const { commandId } = await first.ok("execute-command", { paneId, command, background: true });
      begun.push({ commandId, gate });
    }
    await lives.kill();
    for (const { gate } of begun) await gate.open();
    const second = await lives.serve();
    for (const { commandId } of begun) {
      const { status, exitCode, outputTruncated } = await second.commandResult(commandId);
      assertEquals([status, exitCode, outputTruncated], ["completed", 7, true]);
    }
  },
);

Deno.test("a call whose server is ended reports that its command runs, and a later server has the rest", async () => {
  await using world = await World.create();
  const gate = new Gate(world, "gate");
  await using first = new RawClient(world);
  await first.initialize();
  const { paneId } =
    (await first.call(2, "create-session", { command: "bash --norc" })).result.structuredContent;
  await first.call(3, "execute-command", { paneId, command: ":" });
  await first.send({
    id: 4,
    method: "tools/call",
    params: { name: "execute-command", arguments: { paneId, command: gate.command(3) } },
  });
  await until(async () => (await world.tmux("capture-pane", "-p", "-t", paneId)).includes("\nbegun\n"));
  first.child.kill("SIGTERM");
  const { structuredContent } = (await first.answer(4)).result;
  const { commandId, status, reason, outputTruncated } = structuredContent;
  assertEquals({ status, reason, outputTruncated }, {
    status: "running",
    reason: undefined,
    outputTruncated: undefined,
  });
  await first.child.status;
  const second = await world.serve();
  await gate.open();
  const result = await second.commandResult(commandId);
  assertEquals(brief(result), { status: "completed", exitCode: 3, output: "begun\nover" });
});
