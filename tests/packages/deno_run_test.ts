// The line of docs/running.md that starts the server without the launcher.
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { findLibc } from "../../src/ffi/libc.ts";
import { findDenoDir, proveServer } from "../support/proof.ts";
import { World } from "../support/world.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

Deno.test("the deno run line of the docs serves: a watch in its worker, a picture with its fonts", async () => {
  await using world = await World.create();
  const page = await Deno.readTextFile(join(ROOT, "docs/running.md"));
  const line = /^```sh\ndeno (run .*?)^```/ms.exec(page)?.[1] ?? "";
  const words = line.replaceAll("\\\n", " ").trim().split(/\s+/);
  const args = words.map((word) => word.replace(/^--allow-ffi=.*/, `--allow-ffi=${findLibc()}`));
  assert(args.includes(`--allow-ffi=${findLibc()}`), line);
  assertEquals(args.filter((arg) => arg === "-A" || arg.startsWith("--allow-net")), []);
  await proveServer(world, {
    command: Deno.execPath(),
    args,
    env: { DENO_DIR: await findDenoDir() },
    cwd: ROOT,
  });
});
