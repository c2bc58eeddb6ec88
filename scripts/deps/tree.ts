// The source files to which the rules apply.
import { join, relative } from "@std/path";

/** Source files by path from the checkout's root. */
export type Tree = ReadonlyMap<string, string>;

/** Reads main.ts, src/ and workers/ under a checkout. */
export async function readTree(root: string): Promise<Map<string, string>> {
  const tree = new Map<string, string>();
  const read = async (path: string): Promise<void> => {
    tree.set(relative(root, path), await Deno.readTextFile(path));
  };
  const walk = async (folder: string): Promise<void> => {
    for await (const entry of Deno.readDir(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory) await walk(path);
      else if (entry.name.endsWith(".ts")) await read(path);
    }
  };
  for await (const entry of Deno.readDir(root)) {
    if (entry.name === "main.ts") await read(join(root, entry.name));
    if (entry.name === "src" || entry.name === "workers") await walk(join(root, entry.name));
  }
  return tree;
}
