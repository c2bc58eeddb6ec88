// A batch that is sent while a tmux server ends.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import type { Exec } from "../../src/tmux_exec/exec.ts";
import { type GatewayOptions, TmuxGateway } from "../../src/tmux/gateway.ts";
import { createProcessExec } from "../../src/tmux/spawn.ts";

/** A server that closes each new connection for so long (ms) until its last client has left. */
function ending(ms: number): Exec {
  const until = performance.now() + ms;
  return () => {
    const hasEnded = performance.now() > until;
    const stdout = new TextEncoder().encode(hasEnded ? "$1\n" : "");
    return Promise.resolve({ code: hasEnded ? 0 : 1, stdout, stderr: hasEnded ? "" : "server exited\n" });
  };
}

Deno.test("a batch reaches the next server though clients are slow to leave the one that is ending", async () => {
  const gateway = new TmuxGateway({ exec: ending(400) } as unknown as GatewayOptions);
  assertEquals(await gateway.run([["new-session", "-P"]]), "$1\n");
});

Deno.test("a batch with a deadline is not sent again after it", async () => {
  let sent = 0;
  const exec = (): ReturnType<Exec> => {
    sent++;
    return Promise.resolve({ code: 1, stdout: new Uint8Array(), stderr: "server exited\n" });
  };
  const gateway = new TmuxGateway({ exec } as unknown as GatewayOptions);
  await assertRejects(() => gateway.runIfServer([["display-message", "-p", "x"]], { timeoutMs: 100 }));
  assert(sent <= 3, `sent ${sent} times`);
});

Deno.test("a batch that names a pane by its id is not sent to the next server, which has another with that id", async () => {
  const gateway = new TmuxGateway({ exec: ending(20) } as unknown as GatewayOptions);
  const typing = [["has-session", "-t", "%0"], ["send-keys", "-t", "%0", "x"]];
  const error = await assertRejects(() => gateway.run(typing), AppError);
  assertEquals(error.code, "gone");
  assertEquals(await gateway.runUntilMissing([["kill-pane", "-t", "%0"]]), "");
  assertEquals(await gateway.run([["send-keys", "-t", "=work:", "%0"]]), "$1\n");
});

Deno.test("where tmux refuses its own folder of sockets, the error names the folder and how to repair it", async () => {
  const TMUX_TMPDIR = await Deno.makeTempDir();
  const folder = `${TMUX_TMPDIR}/tmux-${Deno.uid()}`;
  const env = { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", TMUX_TMPDIR };
  const exec = createProcessExec({ bin: "tmux", socketArgs: [], env });
  const gateway = new TmuxGateway({ exec, socket: "default" } as GatewayOptions);
  const refused = async (): Promise<void> => {
    const { code, message, hint } = await assertRejects(() => gateway.run([["list-sessions"]]), AppError);
    assertEquals(code, "invalid-argument");
    assert(message.startsWith('Cannot use socket "default": ') && message.includes(folder), message);
    assertEquals(hint, "Make it a folder of this user alone (chmod 700), or set TMUX_TMPDIR to another");
  };
  try {
    await Deno.mkdir(folder);
    await Deno.chmod(folder, 0o755);
    await refused();
    await Deno.remove(folder);
    await Deno.writeTextFile(folder, "");
    await refused();
  } finally {
    await Deno.remove(TMUX_TMPDIR, { recursive: true });
  }
});
