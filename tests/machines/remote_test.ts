// Files on another machine, whose shell is one of this machine here.
import { assertEquals, assertRejects } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { RemoteMachine } from "../../src/machines/remote.ts";
import type { SshLink } from "../../src/tmux/ssh/link.ts";

async function ask(code: string): Promise<string> {
  const { stdout } = await new Deno.Command("sh", { args: ["-c", code] }).output();
  return new TextDecoder().decode(stdout);
}

Deno.test("a file that is to be written on a host is made private, or says why not", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const link = { host: "box", open: () => Promise.resolve({ ask, facts: { home: folder } }) };
    const machine = new RemoteMachine(link as unknown as SshLink);
    const refused = async (path: string): Promise<[string, string]> => {
      const { code, message } = await assertRejects(() => machine.ensurePrivateFile(path), AppError);
      return [code, message];
    };
    assertEquals(await machine.ensurePrivateFile("new"), `${folder}/new`);
    assertEquals((await Deno.stat(`${folder}/new`)).mode! & 0o777, 0o600);
    assertEquals(await refused(folder), [
      "invalid-argument",
      `Cannot write "${folder}" on host "box": it is a folder`,
    ]);
    assertEquals(await refused("none/new"), [
      "not-found",
      'Cannot write "none/new" on host "box": its folder does not exist',
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
