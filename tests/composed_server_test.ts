// A server within another program.
import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { findDenoDir } from "./support/proof.ts";
import { World } from "./support/world.ts";

const PROGRAM = fromFileUrl(new URL("support/embedding_program.ts", import.meta.url));

Deno.test("a closed server keeps no program from its end, though a command runs on", async () => {
  await using world = await World.create();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", PROGRAM, world.socket, "sleep 600"],
    cwd: world.folder,
    env: { ...world.env, DENO_DIR: await findDenoDir(), NO_COLOR: "1" },
    clearEnv: true,
    signal: AbortSignal.timeout(30_000),
  });
  const { success, stdout, stderr } = await child.output();
  assertEquals(success, true, new TextDecoder().decode(stderr));
  assertEquals(new TextDecoder().decode(stdout), "running\n");
});
