import { assertEquals, assertMatch } from "@std/assert";
import { LoopbackSshd } from "../support/sshd.ts";
import { World } from "../support/world.ts";

const SHELLS = [
  ["bash", "bash --norc"],
  ["zsh", "zsh -f"],
  ["fish", "fish --no-config"],
  ["dash", "dash -i"],
  ["mksh", "mksh"],
] as const;

Deno.test({
  name: "a command runs in a shell behind ssh, which is named because it can't be seen",
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  async fn(test) {
    await using world = await World.create();
    await using sshd = await LoopbackSshd.start(world.folder);
    const client = await world.serve();
    for (const [shell, command] of SHELLS) {
      await test.step(shell, async () => {
        const login = ["-o", "StrictHostKeyChecking=no", "-i", sshd.key, "-tt", "root@127.0.0.1"];
        const ssh = [...sshd.client(...login), `exec env PS1='far$ ' ENV=/dev/null ${command}`];
        const { paneId } = await client.ok("create-session", { command: ssh.map(quote).join(" ") });
        await client.ok("watch-pane", { paneId, triggers: "pattern:[$#>] *$", timeout: 10 });

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

        const long = `printf '%s' '${"x".repeat(20_000)}' | wc -c`;
        assertEquals(
          (await client.ok("execute-command", { paneId, shell, command: long })).output.trim(),
          "20000",
        );
        const screen = await world.tmux("capture-pane", "-p", "-S", "-", "-t", paneId);
        assertEquals(/__mcp|133;/.test(screen), false, screen);
      });
    }
  },
});

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
