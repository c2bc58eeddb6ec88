// The npm package: what it holds, and that it serves from a node_modules, laid out here without asking a registry.
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { readIdentity } from "../../scripts/packages/identity.ts";
import { TESTS_ONLY } from "../../scripts/pack.ts";
import { VERSION } from "../../src/version.ts";
import { findDenoDir, proveServer } from "../support/proof.ts";
import { World } from "../support/world.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));
/** Names and versions that are locked: `npm:zod@^4.6.7` as `4.6.7_peer@1`. */
const LOCKED: Record<string, string> =
  JSON.parse(await Deno.readTextFile(join(ROOT, "deno.lock"))).specifiers;

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

async function run(
  program: string,
  args: readonly string[],
  options: Deno.CommandOptions = {},
): Promise<Ran> {
  const output = await new Deno.Command(program, { cwd: ROOT, ...options, args: [...args], stdin: "null" })
    .output();
  const [stdout, stderr] = [output.stdout, output.stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code: output.code, stdout: stdout!, stderr: stderr! };
}

async function pack(folder: string): Promise<void> {
  const { code, stdout, stderr } = await run(Deno.execPath(), ["run", "-A", "scripts/pack.ts", folder]);
  assertEquals([code, stdout.trim()], [0, join(folder, `tmux-mcp-server-${VERSION}.tgz`)], stderr);
  await run("tar", ["-xzf", stdout.trim(), "-C", folder]);
}

/** The dependencies that are locked, in the folder's node_modules. */
async function installDependencies(folder: string): Promise<void> {
  const dependencies = Object.fromEntries(
    Object.keys(LOCKED).map((specifier) => /^npm:(.+)@(.+)$/.exec(specifier)!.slice(1)),
  );
  await Deno.writeTextFile(join(folder, "package.json"), JSON.stringify({ dependencies }));
  await Deno.copyFile(join(ROOT, "deno.lock"), join(folder, "deno.lock"));
  const installed = await run(Deno.execPath(), ["install", "--quiet", "--cached-only"], { cwd: folder });
  assertEquals(installed.code, 0, installed.stderr);
}

/** The modules of a project that has the package, and the program that npm would have linked. */
interface Installed {
  modules: string;
  program: string;
}

async function install(folder: string): Promise<Installed> {
  const project = join(folder, "it's a project");
  const modules = join(project, "node_modules");
  await Deno.mkdir(project);
  await Promise.all([pack(project), installDependencies(project)]);
  for (const name of ["@tmux-mcp", "@deno/platform", ".bin"]) {
    await Deno.mkdir(join(modules, name), { recursive: true });
  }
  await Deno.rename(join(project, "package"), join(modules, "@tmux-mcp/server"));
  await Deno.symlink(Deno.execPath(), join(modules, "@deno/platform/deno"));
  const program = join(modules, ".bin/tmux-mcp");
  await Deno.symlink("../@tmux-mcp/server/scripts/tmux-mcp", program);
  return { modules, program };
}

async function proveServing(world: World, { program, modules }: Installed): Promise<void> {
  await proveServer(world, { command: program, env: { DENO_DIR: await findDenoDir() }, cwd: "/" });

  const init = await run(program, ["init", "cursor"], { env: world.env, clearEnv: true });
  assertEquals(
    JSON.parse(init.stdout).mcpServers.tmux.command,
    join(modules, "@tmux-mcp/server/scripts/tmux-mcp"),
  );

  // `npm install --global` nests every dependency in the package.
  const nested = join(modules, "@tmux-mcp/server/node_modules");
  await Deno.mkdir(nested);
  await Deno.rename(join(modules, "@deno"), join(nested, "@deno"));
  const version = await run(program, ["--version"], { env: world.env, clearEnv: true });
  assertEquals([version.code, version.stdout], [0, `tmux-mcp ${VERSION}\n`], version.stderr);

  await Deno.remove(nested, { recursive: true });
  const without = await run(program, [], { env: world.env, clearEnv: true });
  assertEquals([without.code, without.stdout], [1, ""]);
  assertMatch(without.stderr, /^tmux-mcp: [^\n]*npm install --include=optional\n$/);
}

async function checkContents(folder: string): Promise<void> {
  const packed = JSON.parse(await Deno.readTextFile(join(folder, "package.json")));
  const { repository, homepage, bugs, registryName } = await readIdentity();
  assertEquals(
    [packed.version, packed.repository.url, packed.homepage, packed.bugs, packed.mcpName],
    [VERSION, `git+${repository}.git`, homepage, bugs, registryName],
  );
  for (const [name, version] of Object.entries(packed.dependencies)) {
    const locked = Object.entries(LOCKED).find(([specifier]) => specifier.startsWith(`npm:${name}@`))?.[1];
    assertEquals(locked?.split("_")[0], version, name);
  }
  assertEquals(Object.keys(packed.dependencies).length, Object.keys(LOCKED).length - TESTS_ONLY.length);
  const [bootstrap, environment] = await Promise.all(
    ["bootstrap", "environment.bash"].map((name) => Deno.readTextFile(join(ROOT, "scripts", name))),
  ) as [string, string];
  for (const [name, version] of Object.entries(packed.optionalDependencies)) {
    assertStringIncludes(bootstrap, name.replace("@deno/", ""));
    assertStringIncludes(environment, `deno_version=${version}\n`);
  }
  const { stdout } = await run("find", [folder, "-type", "f"]);
  const files = stdout.trim().split("\n").map((path) => path.slice(folder.length + 1));
  assert(files.includes("skills/driving-terminals/SKILL.md") && files.includes("LICENSE"), stdout);
  assert(files.includes("build/bundle/main.js") && !files.includes("main.js"), stdout);
  assertEquals(files.filter((file) => file.endsWith(".ts") || file.startsWith("tests/")), []);
}

Deno.test("the npm package", async (t) => {
  await using world = await World.create();
  const installed = await install(world.folder);
  await t.step(
    "has the version of deno.json, the dependencies of deno.lock, the Deno of bootstrap, no test",
    () => checkContents(join(installed.modules, "@tmux-mcp/server")),
  );
  await t.step(
    "serves from a node_modules: a watch in its worker, a picture with its fonts",
    () => proveServing(world, installed),
  );
});
