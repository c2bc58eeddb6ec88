// Commands run in a shell that a running command has begun; the outer one continues, and ends when that shell does.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { inPanesOfOneServer } from "../support/one_server.ts";
import type { ShellPane } from "../support/shell_pane.ts";
import { LoopbackSshd } from "../support/sshd.ts";
import { until } from "../support/until.ts";

const test = inPanesOfOneServer("commands in a shell within");

// `-m` keeps HOME: root's own start-up files may take their time.
const SHELLS = ["bash --norc", "zsh -f", "fish --no-config", "dash -i", "su -m -s /bin/bash root"];
const BEHIND_A_PTY = [`python3 -c 'import pty; pty.spawn(["bash", "--norc"])'`];

for (const inner of [...SHELLS, ...BEHIND_A_PTY]) {
  test(`commands run in a shell within, and its own end ends the first: ${inner}`, async (pane) => {
    const { client, paneId } = pane;
    const outer = await pane.run(inner, { timeout: 40 });
    assertEquals(outer.status, "waiting");
    const { commandId } = outer;
    assertEquals((await pane.run("cd /usr; false")).exitCode, 1);
    assertEquals((await pane.run("pwd")).output, "/usr");
    const running = await client.ok("get-command-result", { commandId, waitSeconds: 0.5 });
    assertEquals(running.status, "running");
    const go = `${pane.world.folder}/go${paneId.slice(1)}`;
    await new Deno.Command("mkfifo", { args: [go] }).output();
    const { commandId: slow } = await pane.run(`cat ${go}; echo over`, { background: true });
    const busy = await client.fails("execute-command", { paneId, command: "true" });
    assertEquals([busy.code, busy.text.includes(slow)], ["busy", true]);
    await Deno.writeTextFile(go, "");
    const over = await client.ok("get-command-result", { commandId: slow, waitSeconds: 20 });
    assertEquals(over.output, "over");
    await client.ok("send-keys", { paneId, keys: "exit", literal: true, enter: true });
    const done = await client.ok("get-command-result", { commandId, waitSeconds: 20 });
    assertEquals(done.status, "completed");
    assertEquals((await pane.run("echo back")).output, "back");
  });
}

test("a command that ends the shell within ends with the first one", async (pane) => {
  const { client, paneId } = pane;
  const { commandId } = await pane.run("bash --norc", { timeout: 40 });
  const left = await pane.run("echo bye; exit 3", { timeout: 40 });
  assert(["lost", "completed"].includes(left.status), left.status);
  if (left.status === "lost") assert(left.reason?.includes(commandId), "its exit code is that command's");
  assertEquals(left.output, "bye\nexit", "without the outer shell's prompt");
  const done = await client.ok("get-command-result", { commandId, waitSeconds: 20 });
  assertEquals([done.status, done.exitCode], ["completed", 3]);
  assertEquals((await client.ok("execute-command", { paneId, command: "echo back" })).output, "back");
});

for (const inner of ["dash -i", "zsh -f"]) {
  test(`a command that ends a shell which a person has opened is lost, and leaves the pane free: ${inner}`, async (pane) => {
    const { client, paneId } = pane;
    await client.ok("send-keys", { paneId, keys: inner, literal: true, enter: true });
    await pane.untilRunning(inner.split(" ")[0]!);
    const { status, reason, output } = await pane.run("echo bye; exit 3", { timeout: 40 });
    assertEquals([status, output.split("\n")[0]], ["lost", "bye"]);
    assertMatch(reason!, /^Its shell ended/);
    const { commands } = await client.ok("list-commands", { paneId, limit: 1 });
    assertEquals(commands[0].status, "lost");
    assertEquals((await pane.run("echo $BASH_VERSION")).output.length > 1, true);
    await client.ok("send-keys", { paneId, keys: inner, literal: true, enter: true });
    await pane.untilRunning(inner.split(" ")[0]!);
    const watched = await client.ok("start-and-watch", { paneId, command: "exit 3", timeout: 40 });
    assertEquals([watched.event, watched.detail], ["exit", "The command's shell has ended"]);
  });
}

/** Draws on the alternate screen, as an editor on the far side does, and keeps the keys that it gets. */
const EDITOR = [
  "import os, sys, tty",
  "tty.setraw(0)",
  "os.write(1, b'\\x1b[?1049h\\x1b[H')",
  "while True:",
  "  keys = os.read(0, 100)",
  "  open(sys.argv[1], 'ab').write(keys)",
  "  if b'q' in keys: break",
  "  os.write(1, keys)",
  "os.write(1, b'\\x1b[?1049l')",
].join("\n");

test("nothing is typed into a full-screen program behind a client of containers", async (pane) => {
  const { client, paneId, world: { folder } } = pane;
  const [docker, typed] = [`${folder}/docker`, `${folder}/typed`];
  await Deno.symlink("/usr/bin/python3", docker);
  const { commandId, status } = await pane.run(`${docker} -c "${EDITOR}" ${typed}`, { timeout: 40 });
  assertEquals(status, "waiting");
  const { code, hint } = await client.fails("execute-command", { paneId, command: "true" });
  assertEquals([code, /send-keys/.test(hint ?? "")], ["busy", true], hint);
  await client.ok("send-keys", { paneId, keys: "q" });
  const done = await client.ok("get-command-result", { commandId, waitSeconds: 20 });
  assertEquals([done.status, await Deno.readTextFile(typed)], ["completed", "q"]);
});

test("a command within keeps its output while the first one is stopped", async (pane) => {
  const { client, paneId, world } = pane;
  const outer = await pane.run("bash --norc", { timeout: 40 });
  const pid = (await pane.run("echo $$")).output;
  const fifo = `${world.folder}/go${paneId.slice(1)}`;
  await pane.run(`mkfifo ${fifo}; exec 9<>${fifo}`);
  const { commandId } = await pane.run("read line <&9; echo $line", { background: true });
  await client.ok("get-command-result", { commandId, waitSeconds: 0.5 });
  Deno.kill(Number(pid), "SIGSTOP");
  await until(async () => (await client.ok("get-command-result", { commandId: outer.commandId })).stopped);
  await client.ok("send-keys", { paneId, keys: "fg", literal: true, enter: true });
  await Deno.writeTextFile(fifo, "late\n");
  const done = await client.ok("get-command-result", { commandId, waitSeconds: 20 });
  assertEquals([done.status, done.exitCode], ["completed", 0]);
  assertMatch(done.output, /Stopped[^]*fg\n[^]*late$/, "with what came while its shell was stopped");
  await client.ok("send-keys", { paneId, keys: "exit", literal: true, enter: true });
});

test("a watch for an end fires at once in the shell that a command has started", async (pane) => {
  const { client, paneId } = pane;
  await pane.run("bash --norc", { timeout: 40 });
  const { event, detail } = await client.ok("watch-pane", { paneId, triggers: "exit", timeout: 1.5 });
  assertEquals([event, detail], ["exit", "bash was already at its prompt: no program runs there"]);
  await client.ok("send-keys", { paneId, keys: "exit", literal: true, enter: true });
});

test("a program within that is no shell keeps the pane busy", async (pane) => {
  const { client, paneId } = pane;
  const { commandId, status } = await pane.run("python3 -q", { timeout: 40 });
  assertEquals(status, "waiting");
  const { code, text } = await client.fails("execute-command", { paneId, command: "true" });
  assertEquals([code, text.includes(commandId)], ["busy", true]);
});

/** A person's own account is not one to log in to. */
const testBehindSsh: typeof test = Deno.build.os === "linux" && Deno.uid() === 0 ? test : () => {};

testBehindSsh(
  "commands run in a shell that ssh has led to, named or not",
  async (pane) => {
    await using behind = await BehindSsh.open(pane);
    const { client } = pane;
    const commandId = await behind.enter(behind.line("ssh"));
    assertEquals((await pane.run("cd /usr/share; (exit 4)")).exitCode, 4);
    assertEquals((await pane.run("pwd", { shell: "bash" })).output, "/usr/share");
    assertEquals((await client.ok("get-command-result", { commandId })).status, "running");
    await behind.leave(commandId);
  },
);

/** Commands that lead to a shell behind ssh and don't show it, by how their programs are called. */
const HIDING_SSH: Readonly<Record<string, (behind: BehindSsh) => Promise<string>>> = {
  "a script": async (behind) => {
    const script = `${behind.pane.world.folder}/connect.sh`;
    await Deno.writeTextFile(script, `#!/bin/sh\n${behind.line("ssh")}\nexit $?\n`, { mode: 0o700 });
    return script;
  },
  "an unknown client": async (behind) => {
    const portal = `${behind.pane.world.folder}/portal`;
    await Deno.copyFile("/usr/bin/ssh", portal);
    return behind.line(portal);
  },
};

for (const [name, commandOf] of Object.entries(HIDING_SSH)) {
  testBehindSsh(
    `commands run in a shell that ${name} has led to, once the shell is named`,
    async (pane) => {
      await using behind = await BehindSsh.open(pane);
      const { client, paneId } = pane;
      const commandId = await behind.enter(await commandOf(behind));
      const unnamed = await client.fails("execute-command", { paneId, command: "true" });
      assertEquals([unnamed.code, unnamed.text.includes(commandId)], ["busy", true]);
      if (name === "a script") assertMatch(unnamed.hint ?? "", /name that shell/);
      assertEquals((await pane.run("cd /usr/share; (exit 4)", { shell: "bash" })).exitCode, 4);
      assertEquals((await pane.run("pwd", { shell: "bash" })).output, "/usr/share");
      assertEquals((await client.ok("get-command-result", { commandId })).status, "running");
      const { commandId: slow } = await pane.run("read line; echo $line", {
        shell: "bash",
        background: true,
      });
      const busy = await client.fails("execute-command", { paneId, command: "true", shell: "bash" });
      assertEquals([busy.code, busy.text.includes(slow)], ["busy", true]);
      await client.ok("send-keys", { paneId, keys: "typed", literal: true, enter: true });
      const read = await client.ok("get-command-result", { commandId: slow, waitSeconds: 20 });
      assertEquals([read.status, read.output], ["completed", "typed\ntyped"]);
      await behind.leave(commandId);
    },
  );
}

testBehindSsh(
  "a command that ends a shell behind ssh which a person has opened is lost, and leaves the pane free",
  async (pane) => {
    await using behind = await BehindSsh.open(pane);
    const keys = { paneId: pane.paneId, literal: true, enter: true };
    await pane.client.ok("send-keys", { ...keys, keys: behind.line("ssh") });
    await pane.untilScreen(/^far\$ ?$/m);
    const { status, output } = await pane.run("echo bye; exit 3", { shell: "bash", timeout: 40 });
    assertEquals([status, output.split("\n")[0]], ["lost", "bye"]);
    assertEquals((await pane.run("echo back")).output, "back");
    await pane.client.ok("send-keys", { ...keys, keys: behind.line("ssh") });
    // The prompt of the first time is still shown.
    await until(async () => (await pane.screen()).match(/^far\$/gm)!.length === 2);
    const watch = { paneId: pane.paneId, shell: "bash", command: "exit 3", timeout: 40 };
    const { event, detail } = await pane.client.ok("start-and-watch", watch);
    assertEquals([event, detail], ["exit", "The command's shell has ended"]);
  },
);

test("nothing is typed at a program that asks for a password, whichever shell is named", async ({ client }) => {
  const asks = "import getpass; print('read', repr(getpass.getpass())); input()";
  const { paneId } = await client.ok("create-session", { command: `python3 -c "${asks}"` });
  await until(async () => (await client.ok("pane-state", { paneId })).inputKind === "password");
  const { code, hint } = await client.fails("execute-command", { paneId, command: "true", shell: "bash" });
  assertEquals(code, "busy");
  assertMatch(hint ?? "", /ask-person/);
  await client.ok("send-keys", { paneId, keys: "word", literal: true, enter: true });
  let shown = "";
  await until(async () => (shown = await client.ok("capture-pane", { paneId })).includes("read '"));
  assertMatch(shown, /^read 'word'$/m);
});

/** A pane in which commands lead to a shell behind ssh. */
class BehindSsh implements AsyncDisposable {
  readonly pane: ShellPane;
  readonly #sshd: LoopbackSshd;

  private constructor(pane: ShellPane, sshd: LoopbackSshd) {
    this.pane = pane;
    this.#sshd = sshd;
  }

  static async open(pane: ShellPane): Promise<BehindSsh> {
    const home = `${pane.world.folder}/${crypto.randomUUID()}`;
    await Deno.mkdir(home, { mode: 0o700 });
    return new BehindSsh(pane, await LoopbackSshd.start(home));
  }

  /** Command line that leads to the shell with this client. */
  line(client: string): string {
    const login = ["-o", "StrictHostKeyChecking=no", "-i", this.#sshd.key, "-tt", "root@127.0.0.1"];
    const [, ...options] = this.#sshd.client(...login);
    return [client, ...options, "exec env PS1='far$ ' bash --norc"].map(quote).join(" ");
  }

  /** Runs a command that leads to the shell, and returns its id. */
  async enter(command: string): Promise<string> {
    const { commandId, status } = await this.pane.run(command, { timeout: 40 });
    assertEquals(status, "waiting");
    await this.pane.untilScreen(/^far\$ ?$/m);
    return commandId;
  }

  /** Ends the shell, and with it the command that led to it. */
  async leave(commandId: string): Promise<void> {
    const { client, paneId } = this.pane;
    await client.ok("send-keys", { paneId, keys: "exit 5", literal: true, enter: true });
    const done = await client.ok("get-command-result", { commandId, waitSeconds: 20 });
    assertEquals([done.status, done.exitCode], ["completed", 5]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sshd[Symbol.asyncDispose]();
  }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
