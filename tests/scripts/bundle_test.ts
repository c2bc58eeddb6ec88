// A new bundle leaves running servers the parts of the one that they were started from.
import { assertEquals } from "@std/assert";
import { dirname, join } from "@std/path";
import { putInPlace } from "../../scripts/bundle.ts";

const HOUR_MS = 3600 * 1000;
const WEEK_MS = 7 * 24 * HOUR_MS;

/** Writes files that were last changed some time ago. */
async function write(folder: string, names: readonly string[], ago = 0): Promise<void> {
  for (const name of names) {
    const path = join(folder, name);
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(path, "");
    const time = new Date(Date.now() - ago);
    await Deno.utime(path, time, time);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  return entries.filter(({ isFile }) => isFile).map(({ name }) => name).sort();
}

Deno.test("parts of a bundle are kept for a week after another replaced it, however old they are", async () => {
  const root = await Deno.makeTempDir({ prefix: "tmux-mcp-bundle-" });
  try {
    const [folder, made] = [join(root, "bundle"), join(root, "made")];
    await write(folder, ["main.js", "chunk-a.js", "workers/watch_worker.js"], WEEK_MS + HOUR_MS);
    await write(folder, ["chunk-old.js"], WEEK_MS + 2 * HOUR_MS);
    await write(made, ["main.js", "chunk-b.js", "workers/watch_worker.js"]);
    await putInPlace(made, folder);
    assertEquals(await namesIn(folder), ["chunk-a.js", "chunk-b.js", "main.js"]);

    const superseded = (await Deno.stat(join(folder, "chunk-a.js"))).mtime;
    await write(made, ["main.js", "chunk-c.js", "workers/watch_worker.js"]);
    await putInPlace(made, folder);
    assertEquals(await namesIn(folder), ["chunk-a.js", "chunk-b.js", "chunk-c.js", "main.js"]);
    assertEquals((await Deno.stat(join(folder, "chunk-a.js"))).mtime, superseded);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
