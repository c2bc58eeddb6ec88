// Bundles the program and its packages into a few JavaScript files: Deno starts these faster than 500
// modules.
import { basename, dirname, join } from "@std/path";
import { ROOT } from "./packages/identity.ts";

const TOOLS = join(ROOT, ".tools");
/** File that names what the launcher runs; its time is that of the sources that were bundled. */
const ENTRY = join(TOOLS, "entry");
const WORKER = "workers/watch_worker";
/**
 * Packages that stay outside the bundle: they are read as files, call `require`, which a bundle lacks, or are
 * needed by few servers. Deno keeps the text of every module that a bundle may import in memory, 1.3 MB for
 * mvdan-sh.
 */
const EXTERNAL =
  `@expo-google-fonts/noto-emoji @fontsource/unifontex @resvg/resvg-wasm @xterm/addon-unicode11 @xterm/headless
  @xterm/xterm dejavu-fonts-ttf jsonc-parser mvdan-sh npm:@xterm/headless@^6.0.0 yaml`.split(/\s+/);
/** Time for which superseded parts of a bundle are kept, because a running server may still load them. */
const KEPT_MS = 7 * 24 * 3600 * 1000;
/** Time by which superseded parts are older than the bundle that superseded them, which tells them apart. */
const SUPERSEDED_MS = 60_000;
/**
 * Time limit: Deno downloads its bundler at the first use, and somebody may be waiting for a server to start.
 */
const LIMIT_MS = 20_000;

/**
 * Bundles modules into a folder that must be as deep below the root as the modules in `src/`, because these
 * find other files by relative paths.
 * @throws {Error} with Deno's message
 */
export async function bundle(into: string, entries: readonly string[] = ["main.ts"]): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["bundle", "--quiet", "--platform", "deno", "--code-splitting", "--minify"],
      ...["--outdir", into, ...EXTERNAL.map((name) => `--external=${name}`)],
      ...[...entries, `${WORKER}.ts`],
    ],
    cwd: ROOT,
    stdin: "null",
    stdout: "null",
    signal: AbortSignal.timeout(LIMIT_MS),
  }).output();
  if (!success) throw new Error(`Cannot bundle the program: ${new TextDecoder().decode(stderr)}`);
  for await (const path of scripts(into)) {
    const text = await Deno.readTextFile(path);
    const own = hideImports(path, text.replaceAll(`../../${WORKER}.ts`, `./${WORKER}.js`));
    if (own !== text) await Deno.writeTextFile(path, own);
  }
}

/**
 * Hides imports from Deno, which reads every module it sees imported, so that it doesn't read the whole
 * server before the answer to `initialize`.
 */
function hideImports(path: string, text: string): string {
  if (basename(path) !== "main.js") return text;
  return text.replaceAll(/\bimport\(("\.[^"]*")\)/g, "import((0,$1))");
}

async function* scripts(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* scripts(join(folder, name));
    else if (name.endsWith(".js")) yield join(folder, name);
  }
}

/** Bundles next to a folder, then puts the files into place. Returns their paths. */
async function install(folder: string): Promise<string[]> {
  await Deno.mkdir(dirname(folder), { recursive: true });
  const made = await Deno.makeTempDir({ dir: dirname(folder), prefix: `${basename(folder)}.` });
  try {
    await bundle(made);
    return await putInPlace(made, folder);
  } finally {
    await Deno.remove(made, { recursive: true });
  }
}

/** Renames each file of a bundle into a folder, those that load others last, and removes what is long superseded. */
export async function putInPlace(made: string, folder: string): Promise<string[]> {
  const now = Date.now();
  await date(await currentBundle(folder), now - SUPERSEDED_MS);
  const paths = await Array.fromAsync(scripts(made));
  await date(paths, now);
  const isEntry = (path: string): number =>
    Number(["main.js", `${basename(WORKER)}.js`].includes(basename(path)));
  await Deno.mkdir(join(folder, dirname(WORKER)), { recursive: true });
  for (const path of paths.sort((one, other) => isEntry(one) - isEntry(other))) {
    await Deno.rename(path, join(folder, path.slice(made.length)));
  }
  await removeOld(folder);
  return paths.map((path) => join(folder, path.slice(made.length)));
}

/** Files of the bundle in a folder, without those of older ones. */
async function currentBundle(folder: string): Promise<string[]> {
  const { mtime } = await Deno.stat(join(folder, "main.js")).catch(() => ({ mtime: null }));
  if (mtime === null) return [];
  const began = mtime.getTime() - LIMIT_MS;
  const paths = await Array.fromAsync(scripts(folder));
  const times = await Promise.all(paths.map(async (path) => (await Deno.stat(path)).mtime?.getTime() ?? 0));
  return paths.filter((_, index) => times[index]! >= began);
}

async function date(paths: readonly string[], time: number): Promise<void> {
  await Promise.all(paths.map((path) => Deno.utime(path, new Date(time), new Date(time))));
}

async function removeOld(folder: string): Promise<void> {
  for await (const path of scripts(folder)) {
    const { mtime } = await Deno.stat(path);
    if (mtime !== null && Date.now() - mtime.getTime() > KEPT_MS) await Deno.remove(path);
  }
}

/** Makes Deno analyze the modules now, because a server that does so at its start keeps 90 MB for it. */
async function analyze(modules: readonly string[]): Promise<void> {
  await new Deno.Command(Deno.execPath(), {
    args: ["cache", "--quiet", "--frozen", ...modules],
    cwd: ROOT,
    stdin: "null",
    stdout: "null",
    signal: AbortSignal.timeout(LIMIT_MS),
  }).output();
}

/**
 * Writes the name of what the launcher runs; without a bundle that is the sources, until one of them changes.
 */
async function writeEntry(main: string, read: Date): Promise<void> {
  const made = `${ENTRY}.${Deno.pid}`;
  await Deno.writeTextFile(made, `${main}\n`);
  await Deno.utime(made, read, read);
  await Deno.rename(made, ENTRY);
}

if (import.meta.main) {
  const began = new Date();
  const folder = join(TOOLS, "bundle");
  try {
    await analyze(await install(folder));
    await writeEntry(".tools/bundle/main.js", began);
  } catch (error) {
    await writeEntry("main.ts", began);
    throw error;
  }
}
