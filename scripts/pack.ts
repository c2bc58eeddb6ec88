// Builds the npm package: the program as a bundle with its launcher, the library as JavaScript, and a
// package.json from deno.json and deno.lock.
import { dirname, fromFileUrl, join, relative } from "@std/path";
import { bundle } from "./bundle.ts";
import { readIdentity, ROOT } from "./packages/identity.ts";

const LIBRARY = ["src/mod.ts", "workers/watch_worker.ts"];
/**
 * Folder of the program, as deep below the root as the modules in `src/`, because these find files by
 * relative paths.
 */
const PROGRAM = "build/bundle";
const COPIED = [
  ...["scripts/tmux-mcp", "scripts/environment.bash"],
  ...["views/pane.html", "views/host.js", "views/typing.js", "views/pane.js"],
  ...["src/tools/schemas.json"],
  ...["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE"],
  ...["skills/driving-terminals/SKILL.md", "skills/large-buffers/SKILL.md"],
];
/** Packages that only tests use. */
export const TESTS_ONLY = [
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/ext-apps",
  "@modelcontextprotocol/ext-tasks",
];
const PLATFORMS = ["linux-x64-glibc", "linux-arm64-glibc", "darwin-x64", "darwin-arm64"];

interface DenoJson {
  name: string;
  version: string;
  unstable: string[];
  imports: Record<string, string>;
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await Deno.readTextFile(join(ROOT, path)));
}

async function run(program: string, args: readonly string[], cwd = ROOT): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args: [...args], cwd }).output();
  if (!success) throw new Error(`${program} ${args[0]} failed: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

/** Every module of ours that the library loads. */
async function findModules(): Promise<string[]> {
  const modules = new Set<string>();
  for (const entry of LIBRARY) {
    const graph: { modules: { specifier: string; local?: string; kind?: string }[] } = JSON.parse(
      await run(Deno.execPath(), ["info", "--json", entry]),
    );
    for (const { specifier } of graph.modules) {
      const local = specifier.startsWith("file:") ? relative(ROOT, fromFileUrl(specifier)) : "..";
      if (local.endsWith(".ts") && !local.startsWith("..")) modules.add(local);
    }
  }
  return [...modules].sort();
}

/**
 * Compiles the modules to JavaScript and rewrites their imports. In node_modules, Deno loads no TypeScript
 * and applies no import map, so imports name JavaScript files, including those that replace the standard
 * library.
 */
async function transpile(modules: readonly string[], into: string): Promise<void> {
  await run(Deno.execPath(), ["transpile", "--quiet", "--no-check", "--outdir", into, ...modules]);
  for (const module of modules) {
    const path = join(into, module.replace(/\.ts$/, ".js"));
    const up = relative(dirname(module), ".") || ".";
    const text = (await Deno.readTextFile(path))
      .replaceAll(/(["'])(\.{1,2}\/[^"'\n]+)\.ts\1/g, "$1$2.js$1")
      .replaceAll(/(["'])@std\/(\w+)\1/g, `$1${up}/scripts/jsr/$2/mod.js$1`);
    await Deno.writeTextFile(path, text);
  }
}

/** The packages of deno.json and of the standard library's replacements, in the versions of deno.lock. */
async function findDependencies({ imports }: DenoJson): Promise<Record<string, string>> {
  const { specifiers } = await readJson<{ specifiers: Record<string, string> }>("deno.lock");
  const { imports: more } = await readJson<DenoJson>("scripts/jsr/toml/deno.json");
  const wanted = Object.keys({ ...imports, ...more }).filter((name) =>
    !name.startsWith("@std/") && !TESTS_ONLY.includes(name)
  );
  return Object.fromEntries(
    wanted.sort().map((name) => {
      const locked = Object.entries(specifiers).find(([specifier]) => specifier.startsWith(`npm:${name}@`));
      if (locked === undefined) throw new Error(`Cannot find ${name} in deno.lock`);
      return [name, locked[1].split("_")[0]!];
    }),
  );
}

async function packageJson(config: DenoJson): Promise<object> {
  const { name, version, description, license, repository, homepage, bugs, registryName, keywords } =
    await readIdentity();
  const deno = /^deno_version=(.+)$/m.exec(await Deno.readTextFile(join(ROOT, "scripts/environment.bash")))
    ?.[1];
  if (deno === undefined) throw new Error("Cannot find the pinned Deno in scripts/environment.bash");
  return {
    name,
    version,
    description,
    license,
    repository: { type: "git", url: `git+${repository}.git` },
    homepage,
    bugs,
    mcpName: registryName,
    keywords,
    type: "module",
    bin: { "tmux-mcp": "scripts/tmux-mcp" },
    exports: { ".": "./src/mod.js", "./package.json": "./package.json" },
    os: ["linux", "darwin"],
    cpu: ["x64", "arm64"],
    dependencies: await findDependencies(config),
    optionalDependencies: Object.fromEntries(PLATFORMS.map((platform) => [`@deno/${platform}`, deno])),
  };
}

async function writeJson(path: string, value: object): Promise<void> {
  await Deno.writeTextFile(path, JSON.stringify(value, null, 2) + "\n");
}

async function stage(into: string): Promise<void> {
  const config = await readJson<DenoJson>("deno.json");
  const modules = await findModules();
  await transpile(modules, into);
  await bundle(join(into, PROGRAM));
  const { name, version, unstable } = config;
  await writeJson(join(into, "deno.json"), { name, version, unstable, nodeModulesDir: "manual" });
  await writeJson(join(into, "package.json"), await packageJson(config));
  for (const path of COPIED) {
    await Deno.mkdir(dirname(join(into, path)), { recursive: true });
    await Deno.copyFile(join(ROOT, path), join(into, path));
  }
}

/** Creates the tarball and returns its path. */
async function pack(folder: string): Promise<string> {
  const staged = await Deno.makeTempDir({ prefix: "tmux-mcp-pack-" });
  try {
    await stage(staged);
    await Deno.mkdir(folder, { recursive: true });
    const packed: [{ filename: string }] = JSON.parse(
      await run("npm", ["pack", "--json", "--pack-destination", folder], staged),
    );
    return join(folder, packed[0].filename);
  } finally {
    await Deno.remove(staged, { recursive: true });
  }
}

if (import.meta.main) {
  const folder = Deno.args[0] ?? "dist";
  const path = await pack(folder.startsWith("/") ? folder : join(Deno.args[0] ? Deno.cwd() : ROOT, folder));
  Deno.stdout.writeSync(new TextEncoder().encode(`${path}\n`));
}
