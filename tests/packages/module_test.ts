// The program of docs/running.md that imports the module, run in a project of its own.
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { ConfigError, createServer } from "../../src/mod.ts";
import { completeOptions, parseConfig } from "../../src/config.ts";
import { findDenoDir } from "../support/proof.ts";
import { World } from "../support/world.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const PACKAGES: Record<string, string> = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json"))).imports;
const PAGE = await Deno.readTextFile(join(ROOT, "docs/running.md"));
const SECTION = PAGE.slice(PAGE.indexOf("## As a module"));

function block(language: string): string {
  return new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "ms").exec(SECTION)?.[1] ?? "";
}

Deno.test("the module's program serves in a project of its own, with its worker", async () => {
  await using world = await World.create();
  const project = join(world.folder, "a project's folder");
  await Deno.mkdir(project);
  // As from JSR, for which a link stands in: that is how a dependency's own import map is applied.
  const links = ["", "scripts/jsr/assert", "scripts/jsr/path", "scripts/jsr/toml"].map((path) =>
    join(ROOT, path)
  );
  const imports = {
    // Named too, so that deno.lock holds here and no package is looked up again.
    ...Object.fromEntries(Object.values(PACKAGES).map((specifier, at) => [`locked/${at}`, specifier])),
  };
  await Deno.writeTextFile(join(project, "deno.json"), JSON.stringify({ imports, links }));
  await Deno.writeTextFile(join(project, "server.ts"), block("ts"));
  await Deno.copyFile(join(ROOT, "deno.lock"), join(project, "deno.lock"));
  const [program, ...args] = block("sh").trim().split(" ");
  assertEquals(program, "deno");
  const client = await world.serve({
    command: Deno.execPath(),
    args: args.toSpliced(1, 0, "--cached-only"),
    env: { DENO_DIR: await findDenoDir() },
    cwd: project,
  });
  const { socket } = world;
  await world.tmux("new-session", "-d", "cat");
  const [pane] = (await client.ok("list-panes", { socket })).panes;
  const seen = await client.ok("watch-pane", { paneId: pane.id, triggers: "user_input", socket });
  assertEquals(seen.event, "user_input", JSON.stringify(seen));
  assertEquals((await client.fails("kill-pane", { paneId: pane.id, socket })).code, "denied");
});

Deno.test("options that are left out have the defaults of the command line", async () => {
  const { options } = await parseConfig({
    ...{ argv: [], env: {}, readFile: () => undefined, knownTools: [], knownGroups: [] },
  });
  assertEquals(completeOptions({}), options);
  assertEquals(completeOptions({ scope: "all" }), { ...options, scope: "all" });
});

Deno.test("an option that does not exist, or has a wrong value, is refused by name", () => {
  const create = (options: Record<string, unknown>): unknown => createServer({ options, env: {}, cwd: "/" });
  assertStringIncludes(assertThrows(() => create({ scop: "all" }), ConfigError).message, 'option "scop"');
  assertStringIncludes(assertThrows(() => create({ maxWatches: 0 }), ConfigError).message, "maxWatches");
});
