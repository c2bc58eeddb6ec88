// The pages a reader can come to.
import { fromFileUrl, join } from "@std/path";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const FOLDERS = ["", "docs", "docs/guides", "docs/tools", "skills/driving-terminals", "skills/large-buffers"];

async function pagesIn(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(join(ROOT, folder)));
  return entries.filter(({ name }) => name.endsWith(".md")).map(({ name }) => join(folder, name)).sort();
}

/** Every page, by path from the checkout's root. */
export async function pages(): Promise<string[]> {
  return (await Promise.all(FOLDERS.map(pagesIn))).flat();
}
