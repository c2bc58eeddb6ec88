// Arguments that every ssh of a connection is started with, and the check that it still responds.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { AppError } from "../../../src/errors.ts";
import { hostSilent } from "../../../src/tmux/ssh/failures.ts";
import { type SshConnection, SshLink } from "../../../src/tmux/ssh/link.ts";
import { RemoteShell } from "../../../src/tmux/ssh/shell.ts";
import { parseSshWords } from "../../../src/tmux/ssh/words.ts";

function newLink(): SshLink {
  return new SshLink({ host: "far", words: parseSshWords("far"), env: {}, folder: () => "/nowhere" });
}

/** A shell that does not answer the check in time, but `meanwhile` other questions, and may have ended then. */
class BusyShell extends RemoteShell {
  readonly #meanwhile: number;
  readonly #ends: boolean;

  constructor({ meanwhile, ends = false }: { meanwhile: number; ends?: boolean }) {
    super("far", { bin: "sh", args: [], env: {} });
    this.#meanwhile = meanwhile;
    this.#ends = ends;
  }

  override async ask(): Promise<never> {
    for (let count = 0; count < this.#meanwhile; count++) await super.ask(":");
    if (this.#ends) await this.end();
    await (this.#ends ? this.ended : undefined);
    throw hostSilent("far", 5000);
  }
}

function check(shell: RemoteShell): Promise<void> {
  return newLink().check({ shell } as unknown as SshConnection);
}

Deno.test("a connection whose shell is busy with other questions stays", async () => {
  const shell = new BusyShell({ meanwhile: 1 });
  await check(shell);
  assertEquals(shell.hasEnded, false);
  await shell.end();
});

Deno.test("a connection whose shell answers nothing, or ends, is given up", async () => {
  for (const how of [{ meanwhile: 0 }, { meanwhile: 1, ends: true }]) {
    const shell = new BusyShell(how);
    await assertRejects(() => check(shell), AppError);
    await shell.ended;
    assertEquals(shell.hasEnded, true);
  }
});

Deno.test("a session that sshd leaves no room for has a connection of its own, given up like the shared one", () => {
  const args = newLink().via.args.join(" ");
  assert(args.includes("-o ServerAliveInterval=5 -o ServerAliveCountMax=2"), args);
  assert(args.includes("-o BatchMode=yes") && args.includes("-o ControlMaster=no"), args);
});
