// What the pages say is so: links lead somewhere, named folders exist, snippets parse, the command line works.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { parse as parseToml } from "@std/toml";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

async function pages(folder = ""): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(join(ROOT, folder)));
  return entries.filter(({ name }) => name.endsWith(".md")).map(({ name }) => join(folder, name)).sort();
}

async function read(page: string): Promise<string> {
  return await Deno.readTextFile(join(ROOT, page));
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

/** The fenced blocks of a page in one language. */
function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map((match) =>
    match[1] ?? ""
  );
}

/** The anchors that a page's headings make. */
function anchors(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map((match) => match[1] ?? "");
  return new Set(
    headings.map((heading) => heading.toLowerCase().replaceAll(/[^\w\- ]/g, "").replaceAll(" ", "-")),
  );
}

Deno.test("every link between pages leads to a page and a heading that are there", async () => {
  const broken: string[] = [];
  for (
    const page of [
      ...await pages(),
      ...await pages("docs"),
      ...await pages("docs/guides"),
      ...await pages("docs/tools"),
    ]
  ) {
    for (const [, target = ""] of (await read(page)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? page : join(dirname(page), path);
      const there = await exists(join(ROOT, file));
      if (!there || (anchor !== undefined && !anchors(await read(file)).has(anchor))) {
        broken.push(`${page}: ${target}`);
      }
    }
  }
  assertEquals(broken, []);
});

Deno.test("every folder and script that a page names is there", async () => {
  const named = (await Promise.all((await pages()).map(read))).join("\n")
    .matchAll(/`((?:src|tests|workers|scripts|docs)\/[\w\-/.]*)/g);
  const paths = [...new Set([...named].map((match) => match[1] ?? ""))];
  for (const path of paths) assert(await exists(join(ROOT, path)), path);
});

Deno.test("the README's snippets parse, and name the launcher", async () => {
  const text = await read("README.md");
  const json = blocks(text, "json");
  const toml = blocks(text, "toml");
  assert(json.length >= 3 && toml.length >= 1);
  for (
    const snippet of [
      ...json.map((block) => JSON.parse(block)),
      ...toml.map((block) => parseToml(block)),
    ]
  ) {
    assertMatch(JSON.stringify(snippet), /"\/path\/to\/tmux-mcp\/scripts\/tmux-mcp"/);
  }
});

Deno.test("the README's deno run line starts the server", async () => {
  const line = blocks(await read("README.md"), "sh").find((block) => block.startsWith("deno run"));
  const output = await new Deno.Command("bash", {
    args: ["-c", `${line?.trim().replace(/^deno/, '"$0"')} --version`, Deno.execPath()],
    cwd: ROOT,
  }).output();
  assertEquals(new TextDecoder().decode(output.stderr), "");
  assertMatch(new TextDecoder().decode(output.stdout), /^tmux-mcp \d+\.\d+\.\d+\n$/);
});
