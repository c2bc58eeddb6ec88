// The programs of docs/library.md, each run in a project of its own that imports the module as from JSR.
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { ConfigError, createServer } from "../../src/mod.ts";
import { completeOptions, parseConfig } from "../../src/config.ts";
import { ROWS } from "../../src/config/table.ts";
import { findDenoDir } from "../support/proof.ts";
import { World } from "../support/world.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
const PACKAGES: Record<string, string> = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json"))).imports;
const PAGE = await Deno.readTextFile(join(ROOT, "docs/library.md"));
/** The programs by the file name in their first line. */
const PROGRAMS: ReadonlyMap<string, string> = new Map(
  [...PAGE.matchAll(/^```ts\n(\/\/ (\S+)\n.*?)^```/gms)].map(([, text, name]) => [name!, text!]),
);
const START = /^```sh\n(.*?)\n```/ms.exec(PAGE)?.[1]?.split(" ") ?? [];

/** A project with the page's programs; the package is linked, which applies its own import map as JSR does. */
async function createProject(world: World): Promise<string> {
  const project = join(world.folder, "a project's folder");
  await Deno.mkdir(project);
  const links = ["", "scripts/jsr/assert", "scripts/jsr/path", "scripts/jsr/toml"].map((path) =>
    join(ROOT, path)
  );
  const imports = {
    // Named too, so that deno.lock holds here and no package is looked up again.
    ...Object.fromEntries(Object.values(PACKAGES).map((specifier, at) => [`locked/${at}`, specifier])),
  };
  await Deno.writeTextFile(join(project, "deno.json"), JSON.stringify({ imports, links }));
  for (const [name, text] of PROGRAMS) await Deno.writeTextFile(join(project, name), text);
  await Deno.copyFile(join(ROOT, "deno.lock"), join(project, "deno.lock"));
  return project;
}

/** The page's line that starts `server.ts`, for any of its programs. */
function startArguments(program: string): string[] {
  assertEquals([START[0], START.at(-1)], ["deno", "server.ts"]);
  return [...START.slice(1, -1), program].toSpliced(1, 0, "--cached-only");
}

/** Runs a program of the page; returns its lines. */
async function run(world: World, program: string): Promise<string[]> {
  const cwd = await createProject(world);
  const child = new Deno.Command(Deno.execPath(), {
    args: startArguments(program),
    cwd,
    env: { ...world.env, DENO_DIR: await findDenoDir(), NO_COLOR: "1" },
    clearEnv: true,
    signal: AbortSignal.timeout(60_000),
  });
  try {
    const { success, stdout, stderr } = await child.output();
    const text = new TextDecoder().decode(stdout);
    assertEquals(success, true, text + new TextDecoder().decode(stderr));
    return text.trimEnd().split("\n");
  } finally {
    const ended = { args: ["-L", "library", "kill-server"], env: world.env, clearEnv: true };
    await new Deno.Command("tmux", { ...ended, stderr: "null" }).output();
  }
}

Deno.test("the library runs commands: exit code, output and a folder that stays", async () => {
  await using world = await World.create();
  const [first = "", second] = await run(world, "run.ts");
  assertEquals(first.replace(/ls: .*no-such-file.*/, "ls: …"), "completed 2 ls: …");
  assertEquals(second, "/tmp");
});

Deno.test("the library watches: ready, a question, who asks, and the exit code of what was started", async () => {
  await using world = await World.create();
  assertEquals(await run(world, "watch.ts"), [
    "pattern:listening on (\\d+)",
    "user_input",
    "bash line",
    "completed 3",
  ]);
});

Deno.test("the library's server serves, with its worker", async () => {
  await using world = await World.create();
  const client = await world.serve({
    command: Deno.execPath(),
    args: startArguments("server.ts"),
    env: { DENO_DIR: await findDenoDir() },
    cwd: await createProject(world),
  });
  const { socket } = world;
  await world.tmux("new-session", "-d", "cat");
  const [pane] = (await client.ok("list-panes", { socket })).panes;
  const seen = await client.ok("watch-pane", { paneId: pane.id, triggers: "user_input", socket });
  assertEquals(seen.event, "user_input", JSON.stringify(seen));
  assertEquals((await client.fails("kill-pane", { paneId: pane.id, socket })).code, "denied");
});

Deno.test("the module's interface is documented: every type, field and method", async () => {
  const { stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--lint", "src/mod.ts", "src/connection/connect.ts"],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  const [before = "", ...problems] = new TextDecoder().decode(stderr).split(/^error\[/m);
  assertEquals(before.trim(), "");
  // The SDK's own Transport names three types that this module does not export.
  const [theSdks, ours] = [problems.filter(isInPackage), problems.filter((each) => !isInPackage(each))];
  assertEquals(ours, []);
  assertEquals(theSdks.length, 3);
});

/** True for a complaint about a file of an npm package. */
function isInPackage(complaint: string): boolean {
  return /^ *-->.*\/npm\//m.test(complaint);
}

Deno.test("each option is documented in code with the sentence of --help", async () => {
  const source = await Deno.readTextFile(join(ROOT, "src/config/types.ts"));
  const documented = [...source.matchAll(/^ {2}\/\*\* (.*) \*\/\n {2}readonly (\w+):/gm)];
  const sentences = new Map(documented.map(([, sentence, name]) => [name, sentence]));
  for (const [name, { help }] of ROWS) assertStringIncludes(sentences.get(name) ?? "", help, name);
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
