// The pages tell the truth: links lead somewhere, named folders and tools exist, the command line works.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { tools } from "../../src/tools/all.ts";
import { blocksOf } from "./guide.ts";
import { pages } from "./pages.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

async function read(page: string): Promise<string> {
  return await Deno.readTextFile(join(ROOT, page));
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(join(ROOT, path)).then(() => true, () => false);
}

/** The anchors that a page's headings make. */
function anchors(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map((match) => match[1] ?? "");
  return new Set(
    headings.map((heading) => heading.toLowerCase().replaceAll(/[^\w\- ]/g, "").replaceAll(" ", "-")),
  );
}

Deno.test("every link and picture of a page leads to what is there, and to a heading of it", async () => {
  const broken: string[] = [];
  for (const page of await pages()) {
    for (const [, target = ""] of (await read(page)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? page : join(dirname(page), path);
      const there = await exists(file);
      if (!there || (anchor !== undefined && !anchors(await read(file)).has(anchor))) {
        broken.push(`${page}: ${target}`);
      }
    }
  }
  assertEquals(broken, []);
});

Deno.test("every page can be reached from the README", async () => {
  const seen = new Set(["README.md"]);
  for (const page of seen) {
    for (const [, target = ""] of (await read(page)).matchAll(/\]\(([^)\s#]+\.md)/g)) {
      if (!/^[a-z]+:/.test(target)) seen.add(join(dirname(page), target));
    }
  }
  assertEquals((await pages()).filter((page) => !seen.has(page) && !page.startsWith("skills/")), []);
});

Deno.test("every folder and script that a page names is there", async () => {
  const named = (await Promise.all((await pages()).map(read))).join("\n")
    .matchAll(/[`\s]((?:src|tests|workers|scripts|docs)\/[\w\-/.]*\w)/g);
  for (const path of new Set([...named].map((match) => match[1] ?? ""))) assert(await exists(path), path);
});

Deno.test("every tool of ours that the page for newcomers names exists", async () => {
  const page = await read("docs/coming_from.md");
  const rows = page.split("\n").filter((line) => line.startsWith("| ")).map((line) =>
    line.split(" | ")[1] ?? ""
  );
  const same = /Every tool has the same name here: (.*?)\. /s.exec(page)?.[1] ?? "";
  const named = [...rows, same].join(" ").matchAll(/`([a-z]+(?:-[a-z]+)+)`/g);
  const names = new Set(tools.map(({ name }) => name));
  const told = [...named].map((match) => match[1]!);
  assert(told.length > 30);
  assertEquals(told.filter((name) => !names.has(name)), []);
});

Deno.test("the README's deno run line starts the server", async () => {
  const line = blocksOf(await read("README.md")).find(({ text }) => text.startsWith("deno run"))?.text;
  const output = await new Deno.Command("bash", {
    args: ["-c", `${line?.trim().replace(/^deno/, '"$0"')} --version`, Deno.execPath()],
    cwd: ROOT,
  }).output();
  assertEquals(new TextDecoder().decode(output.stderr), "");
  assertMatch(new TextDecoder().decode(output.stdout), /^tmux-mcp \d+\.\d+\.\d+\n$/);
});
