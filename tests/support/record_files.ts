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

/** Paths of the files of one command, by how they end. */
export async function filesOf(world: World, commandId: string, end: RegExp): Promise<string[]> {
  const [name, token] = commandId.split("-");
  return (await filesLike(world, end)).filter((path) => path.includes(`/${token}/${name}.`));
}
