// Files that the servers of a world keep about their commands and watches.
import { join } from "@std/path";
import type { World } from "./world.ts";

/** Paths of those whose names match. */
export async function filesLike(world: World, pattern: RegExp): Promise<string[]> {
  const root = join(world.folder, ".local/state/tmux-mcp");
  const found: string[] = [];
  for await (const server of Deno.readDir(root)) {
    for await (const token of Deno.readDir(join(root, server.name))) {
      for await (const { name } of Deno.readDir(join(root, server.name, token.name))) {
        if (pattern.test(name)) found.push(join(root, server.name, token.name, name));
      }
    }
  }
  return found;
}
