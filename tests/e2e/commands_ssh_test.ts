import { assert, assertEquals, assertMatch } from "@std/assert";
import { remoteTest } from "../support/remote.ts";
import { sideBySide } from "../support/side_by_side.ts";
import { sized } from "../support/sized.ts";
import { SlowLink } from "../support/slow_link.ts";
import { LoopbackSshd } from "../support/sshd.ts";
import { type TestClient, World } from "../support/world.ts";

const SHELLS = [
  ["bash", "bash --norc"],
  ["zsh", "zsh -f"],
  ["fish", "fish --no-config"],
  ["dash", "dash -i"],
  ["mksh", "mksh"],
  ["yash", "yash --norcfile"],
] as const;

remoteTest("a command in a shell behind ssh", async (test) => {
  await using world = await World.create();
  await using sshd = await LoopbackSshd.start(world.folder);
  const far = { world, sshd, client: await world.serve() };
  await test.step("it runs where the shell is named, because it can't be seen", (t) => runNamed(t, far));
  await test.step("it runs behind a link that shows keys after 0.2 s, and typed text stays", (t) =>
    runSlowly(t, far));
  await test.step("it runs behind an ssh that shares a connection", () => runShared(far));
});

interface FarShells {
  world: World;
  sshd: LoopbackSshd;
  client: TestClient;
}

async function runNamed(test: Deno.TestContext, { world, sshd, client }: FarShells): Promise<void> {
  const steps = SHELLS.map(([shell, command]) => ({
    name: shell,
    run: async () => {
      const paneId = await logIn(client, sshd, command);

      const unnamed = await client.fails("execute-command", { paneId, command: "true" });
      assertEquals(unnamed.code, "busy");
      assertMatch(unnamed.hint ?? "", /shell/);

      const remote = await client.ok("execute-command", {
        paneId,
        shell,
        command: "cd /usr/share; echo $SSH_TTY",
      });
      assertEquals(remote.status, "completed");
      assertMatch(remote.output, /^\/dev\/pts\/\d+$/);
      const failed = await client.ok("execute-command", { paneId, shell, command: "pwd; sh -c 'exit 9'" });
      assertEquals([failed.exitCode, failed.output], [9, "/usr/share"]);
      const wrong = await client.fails("execute-command", { paneId, shell, command: "echo 'open" });
      assertEquals(wrong.code, "incomplete-command");

      const watched = { paneId, shell, command: "echo ready; sh -c 'exit 7'" };
      const ready = await client.ok("start-and-watch", { ...watched, pattern: "^ready$" });
      assertEquals(ready.event, "pattern:^ready$");
      const { commandId } = ready;
      const ended = await client.ok("get-command-result", { commandId, waitSeconds: 20 });
      assertEquals([ended.status, ended.exitCode], ["completed", 7]);

      // The program itself says that Ctrl-C will end it.
      const sleeping = "sh -c 'echo began; exec sleep 600'";
      const begun = { paneId, shell, command: sleeping, pattern: "^began$" };
      const { event, commandId: interrupted } = await client.ok("start-and-watch", begun);
      assertEquals(event, "pattern:^began$");
      await client.ok("send-cancel", { paneId });
      const stopped = await client.ok("get-command-result", { commandId: interrupted, waitSeconds: 40 });
      assertEquals([stopped.status, stopped.exitCode], ["completed", 130]);

      const long = `printf '%s' '${"x".repeat(9000)}' | wc -c`;
      assertEquals(
        (await client.ok("execute-command", { paneId, shell, command: long })).output.trim(),
        "9000",
      );
      const screen = await world.tmux("capture-pane", "-p", "-S", "-", "-t", paneId);
      assertEquals(/__mcp|133;/.test(screen), false, screen);
    },
  }));
  await sideBySide(test, steps);
}

/** In the gate, shells whose line editors differ; where dash stands for others without one, and zsh for vi. */
const SLOW_SHELLS: readonly (readonly [shell: string, command: string])[] = [
  ...sized<typeof SHELLS | (typeof SHELLS)[number][]>({
    gate: SHELLS.filter(([shell]) => !/^(mksh|yash)$/.test(shell)),
    soak: SHELLS,
  }),
  ...sized<(readonly [string, string])[]>({ gate: [], soak: [["bash", "bash --norc -o vi"]] }),
  ["zsh", "zsh -f -o vi"],
];

async function runSlowly(test: Deno.TestContext, { sshd, client }: FarShells): Promise<void> {
  await using link = SlowLink.to(sshd.port, { delayMs: 100 });
  const steps = SLOW_SHELLS.map(([shell, command]) => ({
    name: command,
    run: async () => {
      const paneId = await logIn(client, sshd, command, { port: link.port });
      const { output } = await client.ok("execute-command", { paneId, shell, command: "echo $SSH_TTY" });
      assertMatch(output, /^\/dev\/pts\/\d+$/);

      for (const isShown of [true, false]) {
        const word = isShown ? "shown" : "late";
        await client.ok("send-keys", { paneId, keys: `echo ${word}`, literal: true });
        if (isShown) await untilPaneHas(client, paneId, `echo ${word}$`);
        const { code } = await client.fails("execute-command", { paneId, shell, command: "echo ours" });
        assertEquals(code, "busy");
        await client.ok("send-keys", { paneId, keys: "Enter", literal: false });
        await untilPaneHas(client, paneId, `^${word}$`);
      }
    },
  }));
  await sideBySide(test, steps);
}

async function runShared({ world, sshd, client }: FarShells): Promise<void> {
  const options = ["ControlMaster=auto", "ControlPersist=1", `ControlPath=${world.folder}/shared`];
  const shared = { options: options.flatMap((option) => ["-o", option]) };
  const paneId = await logIn(client, sshd, "bash --norc", shared);

  const { event } = await client.ok("watch-pane", { paneId, triggers: "user_input", timeout: 20 });
  assertEquals(event, "user_input");
  const run = { paneId, shell: "bash", command: "echo $SSH_TTY" };
  assertMatch((await client.ok("execute-command", run)).output, /^\/dev\/pts\/\d+$/);
}

async function untilPaneHas(client: TestClient, paneId: string, pattern: string): Promise<void> {
  const { found } = await client.ok("wait-for-text", { paneId, pattern, regex: true, timeout: 20 });
  assert(found, pattern);
}

/** Opens a pane with a shell behind ssh, and waits for its prompt. */
async function logIn(
  client: TestClient,
  sshd: LoopbackSshd,
  command: string,
  { port = sshd.port, options = [] }: { port?: number; options?: readonly string[] } = {},
): Promise<string> {
  const login = ["-o", "StrictHostKeyChecking=no", ...options, "-i", sshd.key, "-tt", "root@127.0.0.1"];
  const ssh = [...sshd.clientAt(port, ...login), `exec env PS1='far$ ' ENV=/dev/null ${command}`];
  const { paneId } = await client.ok("create-session", { command: ssh.map(quote).join(" ") });
  await untilPaneHas(client, paneId, "[$#>] *$");
  return paneId;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
