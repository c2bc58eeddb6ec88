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

Deno.test("a session that sshd leaves no room for has a connection of its own, given up like the shared one", () => {
  const args = newLink().via.args.join(" ");
  assert(args.includes("-o ServerAliveInterval=5 -o ServerAliveCountMax=2"), args);
  assert(args.includes("-o BatchMode=yes") && args.includes("-o ControlMaster=no"), args);
});
