// Writes everything derived from the tools, resources, prompts and the option table: reference pages,
// snapshots, the README's table and addresses, package manifests. With --check, it writes nothing, prints the
// differences, and fails if there are any.
import { dirname, fromFileUrl, join } from "@std/path";
import { prompts } from "../src/prompts/all.ts";
import { resources } from "../src/resources/all.ts";
import type { ToolFacts } from "../src/policy/visibility.ts";
import type { RegisteredTool } from "../src/server/registry.ts";
import { families } from "../src/tools/all.ts";
import { promptTools } from "../src/tools/prompts.ts";
import { clientsPage } from "./gen/clients_page.ts";
import { installButtons } from "./gen/install_buttons.ts";
import { configurationPage } from "./gen/configuration_page.ts";
import { promptsPage } from "./gen/prompts_page.ts";
import { resourcesPage } from "./gen/resources_page.ts";
import { readIdentity } from "./packages/identity.ts";
import { manifests } from "./packages/manifests.ts";
import { agenticTable, familyPage, indexPage, registered } from "./gen/tool_pages.ts";

const ROOT = fromFileUrl(new URL("../", import.meta.url));

/** Folders with only generated files; files that are no longer generated are removed. */
const OWNED = ["docs/tools", "tests/snapshots/tools"];

/** Every generated file, by path from the checkout's root. */
async function generate(): Promise<Map<string, string>> {
  const entries = new Map(Object.entries(families).map(([name, tools]) => [name, registered(tools)]));
  const files = new Map<string, string>();
  for (const [family, tools] of entries) {
    files.set(`docs/tools/${family}.md`, familyPage(family, tools));
    for (const { wire } of tools) {
      files.set(`tests/snapshots/tools/${wire.name}.json`, JSON.stringify(wire, null, 2) + "\n");
    }
  }
  files.set("docs/tools/README.md", indexPage(entries));
  files.set("src/tools/catalogue.json", catalogue());
  files.set("src/tools/schemas.json", schemas([...entries.values()].flat()));
  files.set("docs/setup.md", clientsPage());
  files.set("docs/configuration.md", configurationPage());
  files.set("docs/resources.md", resourcesPage(resources));
  files.set("docs/prompts.md", promptsPage(prompts));
  const identity = await readIdentity();
  for (const [path, text] of manifests(identity)) files.set(path, text);
  const readme = withRepository(await Deno.readTextFile(join(ROOT, "README.md")), identity.repository);
  const listed = withRegion(readme, "tools", agenticTable(entries));
  files.set("README.md", withRegion(listed, "npm", installButtons(identity)));
  return files;
}

/** The schemas of every tool, one tool per line. */
function schemas(tools: readonly RegisteredTool[]): string {
  const rows = tools.map(({ wire: { name, inputSchema: input, outputSchema: output } }) =>
    `${JSON.stringify(name)}: ${JSON.stringify({ input, ...(output && { output }) })}`
  );
  return `{${linesOf(rows)}}\n`;
}

function factsOf({ name, scope, groups, effect }: ToolFacts): ToolFacts {
  return { name, ...(scope && { scope }), groups, effect };
}

/** Facts about the tools that are needed before the tools are loaded, one tool per line. */
function catalogue(): string {
  const standIns = promptTools(() => ({ list: () => [], get: () => ({ description: "", messages: [] }) }));
  const rows = (tools: readonly ToolFacts[]): string =>
    linesOf(tools.map((tool) => JSON.stringify(factsOf(tool))));
  return `{"tools": [${rows(Object.values(families).flat())}], "promptTools": [${rows(standIns)}]}\n`;
}

/** The members of a JSON object or array, one per line. */
function linesOf(members: readonly string[]): string {
  return `\n${members.join(",\n")}\n`;
}

/** Replaces the address of the repository, which the page's `git clone` command has. */
export function withRepository(page: string, repository: string): string {
  const [, old] = /^git clone (\S+)/m.exec(page) ?? [];
  if (old === undefined) throw new Error("Cannot find the line that clones the repository");
  const folder = repository.split("/").at(-1);
  return page.replaceAll(old, repository).replace(/^(git clone \S+ && cd )\S+/m, `$1${folder}`);
}

/** Replaces the text between `<!-- NAME -->` and `<!-- /NAME -->`. */
export function withRegion(text: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [before, after] = [text.indexOf(start), text.indexOf(end)];
  if (before < 0 || after < before) throw new Error(`Cannot find the region "${name}"`);
  const ignored = `<!-- deno-fmt-ignore-start -->\n\n${content}\n\n<!-- deno-fmt-ignore-end -->`;
  return `${text.slice(0, before)}${start}\n\n${ignored}\n\n${text.slice(after)}`;
}

async function findStale(files: ReadonlyMap<string, string>): Promise<string[]> {
  const stale: string[] = [];
  for (const owned of OWNED) {
    const entries = await Array.fromAsync(Deno.readDir(join(ROOT, owned))).catch(() => []);
    stale.push(...entries.map(({ name }) => `${owned}/${name}`).filter((path) => !files.has(path)));
  }
  return stale;
}

async function difference(path: string, text: string): Promise<string> {
  const args = ["-u", "-N", "--label", path, "--label", `${path} (generated)`, join(ROOT, path), "-"];
  const diff = new Deno.Command("diff", { args, stdin: "piped", stdout: "piped", stderr: "inherit" }).spawn();
  const [{ stdout }] = await Promise.all([diff.output(), new Blob([text]).stream().pipeTo(diff.stdin)]);
  return new TextDecoder().decode(stdout);
}

async function check(files: ReadonlyMap<string, string>, stale: readonly string[]): Promise<boolean> {
  const differences = await Promise.all([...files].map(([path, text]) => difference(path, text)));
  const gone = stale.map((path) => `${path}: not generated any more\n`);
  const problems = [...differences, ...gone].filter((problem) => problem !== "");
  if (problems.length > 0) problems.push("Generated files are out of date: run `deno task gen`\n");
  for (const problem of problems) Deno.stderr.writeSync(new TextEncoder().encode(problem));
  return problems.length === 0;
}

async function write(files: ReadonlyMap<string, string>, stale: readonly string[]): Promise<void> {
  for (const [path, text] of files) {
    await Deno.mkdir(dirname(join(ROOT, path)), { recursive: true });
    await Deno.writeTextFile(join(ROOT, path), text);
  }
  for (const path of stale) await Deno.remove(join(ROOT, path));
}

async function main(checking: boolean): Promise<number> {
  const files = await generate();
  const stale = await findStale(files);
  if (checking) return await check(files, stale) ? 0 : 1;
  await write(files, stale);
  return 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args.includes("--check")));
