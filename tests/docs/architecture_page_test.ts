// The source layout on the architecture page names every folder of the source, and the top level holds no more.
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

Deno.test("the source layout names every folder of the source", () => {
  const folders = foldersUnder(`${root}/src`);
  assertEquals(folders.includes("commands/prompt"), true);
  assertEquals(unnamed(Deno.readTextFileSync(`${root}/docs/architecture.md`), folders), []);
});

Deno.test("a folder that the map leaves out is found", () => {
  const page = "`src/tmux/` has `ssh/`";
  assertEquals(unnamed(page, ["tmux", "tmux/ssh", "tmux/objects", "watch"]), ["tmux/objects", "watch"]);
});

Deno.test("the top level holds only what belongs to a release", () => {
  const entries = [...Deno.readDirSync(root)].map(({ name }) => name)
    .filter((name) => !name.startsWith(".") && !["node_modules", "dist"].includes(name));
  assertEquals(entries.sort(), [
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "deno.json",
    "deno.lock",
    "docs",
    "gemini-extension.json",
    "main.ts",
    "packages",
    "scripts",
    "skills",
    "src",
    "tests",
    "views",
    "workers",
  ]);
});
