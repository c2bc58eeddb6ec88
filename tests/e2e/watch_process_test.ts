// Triggers that only the kernel and tmux can answer: the end of programs, being back at a shell, waiting for input.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { inTurnOnServers } from "../support/one_server.ts";
import { readResult, Watching } from "../support/watching.ts";

const test = inTurnOnServers(2, "watches of processes");

/** Since 6.15, the kernel reports the exit code of a process that is not our child. */
const [major = 0, minor = 0] = Deno.osRelease().split(".").map((part) => parseInt(part));
const KERNEL_TELLS = major > 6 || (major === 6 && minor >= 15);

test("the end of a program", async ({ world, client }, t) => {
  const watching = new Watching(world, client);
  await watching.pane("cat", "keep");

  await t.step("exit tells the code without remain-on-exit", async () => {
    const result = await watching.watchRun("exit 7", { triggers: "exit" });
    assertEquals([result.event, result.exitCode, result.paneState.isAlive], ["exit", 7, false]);
  });

  await t.step("exit tells the code with remain-on-exit", async () => {
    const paneId = await watching.waitingPane("echo bye; exit 9");
    await world.tmux("set-option", "-p", "-t", paneId, "remain-on-exit", "on");
    const { result } = await watching.watch({ paneId, triggers: "exit" });
    await watching.go(paneId);
    const { event, exitCode, detail } = readResult(await result);
    assertEquals([event, exitCode, detail], ["exit", 9, "The process exited with code 9"]);
  });

  await t.step("signal death is a name and not code 0, with remain-on-exit and without", async () => {
    for (const remain of ["on", "off"]) {
      const paneId = await watching.waitingPane("kill -TERM $$; exec cat");
      await world.tmux("set-option", "-p", "-t", paneId, "remain-on-exit", remain);
      const { result } = await watching.watch({ paneId, triggers: "exit" });
      await watching.go(paneId);
      const { event, exitCode, exitSignal } = readResult(await result);
      assertEquals([event, exitCode, exitSignal], ["exit", undefined, "SIGTERM"]);
    }
  });

  await t.step("a job in front of a shell ends with its own code", async () => {
    const paneId = await watching.shellPane();
    for (
      const [script, expected] of [["exit 3", { exitCode: 3 }], ["kill -9 $$", {
        exitSignal: "SIGKILL",
      }]] as const
    ) {
      await watching.job(paneId, script);
      const { result } = await watching.watch({ paneId, triggers: "exit" });
      await watching.go(paneId);
      const { event, exitCode, exitSignal, paneState } = readResult(await result);
      assertEquals([event, paneState.isAlive], ["exit", true]);
      if (KERNEL_TELLS) {
        assertEquals({ exitCode, exitSignal }, { exitCode: undefined, exitSignal: undefined, ...expected });
      }
    }
  });

  await t.step("a pipeline lives until its last program", async () => {
    const paneId = await watching.shellPane();
    await world.tmux("run-shell", `mkfifo ${world.folder}/held`);
    await watching.type(paneId, `echo first | (cat ${world.folder}/held; echo last)`);
    await watching.until(async () => !(await client.ok("pane-state", { paneId })).waitingForInput);
    const { result } = await watching.watch({ paneId, triggers: "exit,pattern:^last$" });
    await world.tmux("run-shell", `sleep 0.3; echo through > ${world.folder}/held`);
    assertEquals(readResult(await result).event, "pattern:^last$");
  });

  await t.step("a program that becomes another continues", async () => {
    const result = await watching.watchRun("exec sh -c 'sleep 0.3; echo other; exec cat'", {
      triggers: "exit,pattern:other",
    });
    assertEquals(result.event, "pattern:other");
  });

  await t.step("a pane that is dead at the start is exit at once", async () => {
    await world.tmux("set-option", "-g", "remain-on-exit", "on");
    const about = (paneId: string, what: string) =>
      world.tmux("display-message", "-p", "-t", paneId, what).then((text) => text.trim());
    // Now and then tmux 3.3a never learns how a program ended.
    let paneId: string;
    do {
      paneId = await watching.pane("exit 4");
      await watching.until(async () => await about(paneId, "#{pane_dead}") === "1");
      for (let tries = 0; tries < 50 && await about(paneId, "#{pane_dead_status}") === ""; tries++);
    } while (await about(paneId, "#{pane_dead_status}") !== "4");
    await world.tmux("set-option", "-g", "remain-on-exit", "off");
    const asked = await client.ok("watch-pane", { paneId, triggers: "exit" });
    assertEquals([asked.event, asked.exitCode], ["exit", 4]);
    assertEquals((await client.ok("watch-pane", { paneId, triggers: "bell" })).event, "gone");
  });
});

test(
  "a command that is typed, or that has ended, just before the watch is not waited for in vain",
  async ({ world, client }, t) => {
    const watching = new Watching(world, client);
    const over = /^bash (was already|is) at its prompt/;

    await t.step("exit and shell fire where nothing runs any more", async () => {
      const paneId = await watching.shellPane();
      for (const trigger of ["exit", "shell"]) {
        await watching.type(paneId, "true");
        await watching.until(async () => (await client.ok("pane-state", { paneId })).waitingForInput);
        const { event, detail, exitCode } = await client.ok("watch-pane", { paneId, triggers: trigger });
        assertEquals([event, exitCode], [trigger, undefined]);
        assertMatch(detail, over);
      }
      const { event } = await client.ok("watch-pane", { paneId, timeout: 20 });
      assertEquals(event, "exit");
    });

    await t.step("a command that the shell has yet to start is watched to its end", async () => {
      const paneId = await watching.shellPane();
      const typed = client.ok("send-keys", { paneId, keys: "sleep 0.6; (exit 5)", enter: true });
      const watched = client.ok("watch-pane", { paneId, triggers: "exit", timeout: 20 });
      await typed;
      const { event, detail } = await watched;
      assertEquals(event, "exit");
      assert(!over.test(detail), detail);
    });

    await t.step("a shell that was at work itself is at its prompt again", async () => {
      const paneId = await watching.shellPane();
      const fifo = `${world.folder}/opened`;
      await world.tmux("run-shell", `mkfifo ${fifo}`);
      await watching.type(paneId, `: <${fifo}`);
      await watching.until(async () => !(await client.ok("pane-state", { paneId })).waitingForInput);
      const { result } = await watching.watch({ paneId, triggers: "exit" });
      await Deno.writeTextFile(fifo, "");
      assertEquals(readResult(await result).detail, "bash is at its prompt again");
    });

    await t.step("a program that waits, and a shell that is busy itself, are no end", async () => {
      for (const command of ["exec cat", "exec bash --norc -c 'while :; do sleep 0.01; done'"]) {
        const paneId = await watching.pane(command);
        const { event } = await client.ok("watch-pane", { paneId, triggers: "exit,shell", timeout: 1 });
        assertEquals([command, event], [command, "timeout"]);
      }
    });
  },
);

test(
  "a watch that begins after Ctrl-C has the exit code that the command's record gets",
  async ({ world, client }, t) => {
    const watching = new Watching(world, client);
    // These shells forget the rest of the line, so the record is over only when they have been asked.
    for (const shell of ["dash -i", "ksh"]) {
      await t.step(shell, async () => {
        const paneId = await watching.shellPane(shell);
        const run = { paneId, command: "env sleep 100", background: true };
        const { commandId } = await client.ok("execute-command", run);
        const sleeps = async () =>
          (await world.tmux("display-message", "-p", "-t", paneId, "#{pane_current_command}")) === "sleep\n";
        await watching.until(sleeps);
        await client.ok("send-keys", { paneId, keys: "C-c", literal: false });
        await watching.until(async () => !await sleeps());
        const { event, detail, exitCode } = await client.ok("watch-pane", { paneId, triggers: "exit" });
        assertEquals([event, exitCode], ["exit", 130], detail);
        assertMatch(detail, new RegExp(`^Command ${commandId} has ended`));
      });
    }
  },
);

const SHELLS = ["bash --norc --noprofile", "zsh -f", "fish --no-config", "dash -i", "ksh -i"];

test("shell: back at any shell, and not in a child of one", async ({ world, client }, t) => {
  const watching = new Watching(world, client);
  await watching.pane("cat", "keep");
  for (const shell of SHELLS) {
    const name = shell.split(" ")[0];
    await t.step(`shell fires when ${name} is in front again`, async () => {
      const paneId = await watching.shellPane(shell);
      await watching.job(paneId, "exit 0");
      const { result } = await watching.watch({ paneId, triggers: "shell" });
      await watching.go(paneId);
      const { event, detail, paneState } = readResult(await result);
      assertEquals([event, detail, paneState.shell], ["shell", `Back at the shell (${name})`, name]);
    });
  }

  await t.step("a shell that reads its script from a pipe is a program that the shell runs", async () => {
    const paneId = await watching.shellPane();
    const [begun, fed] = [`${world.folder}/begun`, `${world.folder}/fed`];
    await world.tmux("run-shell", `mkfifo ${fed}`);
    await watching.type(paneId, `echo ': >${begun}; cat ${fed}' | bash`);
    await watching.until(() => Deno.stat(begun).then(() => true, () => false));
    assertEquals((await client.ok("pane-state", { paneId })).shell, undefined);
    assertEquals(
      (await client.fails("execute-command", { paneId, command: "true", timeout: 20 })).code,
      "busy",
    );
    const { result } = await watching.watch({ paneId, triggers: "shell" });
    await Deno.writeTextFile(fed, "");
    assertEquals(readResult(await result).detail, "Back at the shell (bash)");
  });

  await t.step("a subshell that works is not the shell again", async () => {
    const paneId = await watching.shellPane();
    await world.tmux("run-shell", `mkfifo ${world.folder}/subshell`);
    await watching.type(paneId, `(: < ${world.folder}/subshell; echo released)`);
    await watching.until(async () => !(await client.ok("pane-state", { paneId })).waitingForInput);
    const { result } = await watching.watch({ paneId, triggers: "shell,pattern:^released$" });
    await world.tmux("run-shell", `sleep 0.5; : > ${world.folder}/subshell`);
    assertEquals(readResult(await result).event, "pattern:^released$");
  });

  await t.step("a job that is stopped gives the shell back and does not exit", async () => {
    const paneId = await watching.shellPane();
    await watching.job(paneId, "exit 0");
    const { result } = await watching.watch({ paneId, triggers: "exit,shell" });
    await world.tmux("send-keys", "-t", paneId, "C-z");
    assertEquals(readResult(await result).event, "shell");
  });
});

interface Waiting {
  name: string;
  command: string;
  kind: string;
  detail: RegExp;
}

const WAITING: Waiting[] = [
  {
    name: "an idle bash",
    command: "exec bash --norc --noprofile",
    kind: "raw",
    detail: /^bash is at its prompt$/,
  },
  {
    name: "an idle dash",
    command: "exec dash -i",
    kind: "line",
    detail: /^dash is at its prompt$/,
  },
  { name: "cat", command: "exec cat", kind: "line", detail: /^cat is waiting for a line of input$/ },
  {
    name: "a password prompt",
    command: "exec bash -c 'read -s -p Password: x; exec cat'",
    kind: "password",
    detail: /^bash is waiting for a password$/,
  },
  { name: "less", command: "seq 1 100 | less", kind: "raw", detail: /^less is waiting for a keypress$/ },
  {
    name: "the python REPL",
    command: "exec python3 -q",
    kind: "raw",
    detail: /^python\S* is waiting for a keypress$/,
  },
];

const WORKING: { name: string; command: string }[] = [
  { name: "a pipe's reader", command: "sleep 60 | cat" },
  { name: "a sleep", command: "exec sleep 60" },
  {
    name: "a program that works and polls the keyboard briefly",
    command: `exec python3 -c "
import select, sys, time
while True:
    select.select([sys.stdin], [], [], 0)
    end = time.time() + 0.02
    while time.time() < end: pass
"`,
  },
];

test("user_input: what waits for the terminal, and what only seems to", async ({ world, client }, t) => {
  const watching = new Watching(world, client);
  await watching.pane("cat", "keep");
  for (const { name, command, kind, detail } of WAITING) {
    await t.step(`${name} waits, though it did so before the watch`, async () => {
      const paneId = await watching.pane(command);
      const result = await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 20 });
      assertEquals([result.event, result.paneState.inputKind], ["user_input", kind], JSON.stringify(result));
      assertMatch(result.detail, detail);
      await world.tmux("kill-pane", "-t", paneId);
    });
  }
  for (const { name, command } of WORKING) {
    await t.step(`${name} does not wait`, async () => {
      const paneId = await watching.pane(command);
      const { event } = await client.ok("watch-pane", {
        paneId,
        triggers: "user_input",
        timeout: 0.7,
      });
      assertEquals(event, "timeout");
      await world.tmux("kill-pane", "-t", paneId);
    });
  }

  await t.step("a question that comes after output is answered for, with the output", async () => {
    const result = await watching.watchRun("echo Really?; read answer; exec cat", {
      triggers: ["user_input", "exit"],
    });
    assertEquals(result.event, "user_input");
    assert(result.output.includes("Really?"), result.output);
  });
});
