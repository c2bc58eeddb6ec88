// Arguments that every ssh of a connection is started with, and the check that it still responds.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { AppError } from "../../../src/errors.ts";
import { hostSilent } from "../../../src/tmux/ssh/failures.ts";
import { type SshConnection, SshLink } from "../../../src/tmux/ssh/link.ts";
import { RemoteShell } from "../../../src/tmux/ssh/shell.ts";
import { parseSshWords } from "../../../src/tmux/ssh/words.ts";

function newLink(): SshLink {
  return new SshLink({ host: "far", words: parseSshWords("far"), env: {}, newSocket: () => "/nowhere/1" });
}

/** A shell that gives no answer, and may have ended meanwhile. */
class SilentShell extends RemoteShell {
  readonly #ends: boolean;

  constructor(ends: boolean) {
    super("far", { bin: "sh", args: [], env: {} });
    this.#ends = ends;
  }

  override async ask(): Promise<never> {
    if (this.#ends) await this.end().then(() => this.ended);
    throw hostSilent("far", 5000);
  }
}

Deno.test("a connection whose shell answers nothing, or ends, is given up", async () => {
  for (const ends of [false, true]) {
    const shell = new SilentShell(ends);
    await assertRejects(() => newLink().check({ shell } as unknown as SshConnection), AppError);
    await shell.ended;
    assertEquals(shell.hasEnded, true);
  }
});

Deno.test("a connection whose shell answers late, because a long reply comes through it, is kept", async () => {
  const shell = new SilentShell(false);
  await newLink().check({ shell, heardAt: Infinity } as unknown as SshConnection);
  assertEquals(shell.hasEnded, false);
  await shell.end();
});

Deno.test("a session that sshd leaves no room for has a connection of its own, given up like the shared one", () => {
  const args = newLink().via.args.join(" ");
  assert(args.includes("-o ServerAliveInterval=5 -o ServerAliveCountMax=2"), args);
  assert(args.includes("-o BatchMode=yes") && args.includes("-o ControlMaster=no"), args);
});

/** A link whose ssh is a script. */
async function scripted(script: string): Promise<AsyncDisposable & { link: SshLink; folder: string }> {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/ssh`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const env = { PATH: `${folder}:${Deno.env.get("PATH")}` };
  const words = parseSshWords("far");
  const link = new SshLink({ host: "far", words, env, newSocket: () => "/nowhere/1" });
  return { link, folder, [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

Deno.test("a host whose login shell prints without end is named with that reason", async () => {
  await using endless = await scripted("exec yes");
  const refused = 'Cannot use host "far": it printed more than 64 MiB';
  await assertRejects(() => endless.link.open(), AppError, refused);
});

Deno.test("an ssh that still connects ends with its link", async () => {
  await using silent = await scripted('mkfifo "$0.gate"; exec 3<>"$0.gate"; read -r x <&3');
  const opened = silent.link.open();
  const closed = silent.link.close();
  await assertRejects(() => opened, AppError, "The server is shutting down");
  await closed;
});
