// The map of the house on the architecture page names every folder of the source.
import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";

const root = fromFileUrl(new URL("../..", import.meta.url));

/** Folders that a page does not name: those of `src` by their path, deeper ones by their own name. */
function unnamed(page: string, folders: readonly string[]): string[] {
  return folders.filter((folder) => {
    const [top, ...inner] = folder.split("/");
    return !page.includes(inner.length === 0 ? `\`src/${top}/\`` : `\`${inner.at(-1)}/\``);
  });
}

function foldersUnder(path: string, prefix = ""): string[] {
  return [...Deno.readDirSync(path)].filter(({ isDirectory }) => isDirectory).flatMap(({ name }) => [
    `${prefix}${name}`,
    ...foldersUnder(`${path}/${name}`, `${prefix}${name}/`),
  ]);
}

Deno.test("the map of the house names every folder of the source", () => {
  const folders = foldersUnder(`${root}/src`);
  assertEquals(folders.includes("watch/commands/prompt"), true);
  assertEquals(unnamed(Deno.readTextFileSync(`${root}/docs/architecture.md`), folders), []);
});

Deno.test("a folder that the map leaves out is found", () => {
  const page = "`src/tmux/` has `ssh/`";
  assertEquals(unnamed(page, ["tmux", "tmux/ssh", "tmux/objects", "watch"]), ["tmux/objects", "watch"]);
});
