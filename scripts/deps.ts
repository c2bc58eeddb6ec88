// The import arrows as data, and the check that the tree keeps to them.
import { dirname, fromFileUrl, join, relative } from "@std/path";

/**
 * Layers from the top down. `imports` names what a layer may load: a layer, or one file of it. Types may come
 * from any layer further down.
 */
const LAYERS: ReadonlyArray<{ name: string; imports: readonly string[] | "everything" }> = [
  { name: "main", imports: "everything" },
  { name: "mod", imports: "everything" },
  { name: "composed_server", imports: "everything" },
  { name: "served_requests", imports: "everything" },
  { name: "tool_services", imports: "everything" },
  { name: "server_policy", imports: ["server", "policy", "regular_file", "temporary_folder"] },
  {
    name: "cli",
    imports: [
      "engine",
      "config",
      "client_profiles",
      "durable",
      "masking",
      "tmux",
      "process",
      "ffi",
      "shell",
      "regular_file",
      "temporary_folder",
      "version",
      "promises",
      "errors",
    ],
  },
  {
    name: "connection",
    imports: [
      "engine",
      "config",
      "watch",
      "tmux",
      "process",
      "findings",
      "vocabulary",
      "temporary_folder",
      "errors",
    ],
  },
  {
    name: "engine",
    imports: [
      "local_servers",
      "remote_servers",
      "watch",
      "durable",
      "tmux",
      "tmux_protocol",
      "process",
      "ffi",
      "promises",
      "timer",
      "errors",
    ],
  },
  { name: "local_servers", imports: ["machines", "policy", "tmux", "process", "ffi", "promises"] },
  { name: "remote_servers", imports: ["machines", "policy", "tmux", "ffi", "promises", "errors"] },
  {
    name: "server",
    imports: [
      "bytes",
      "ids",
      "json",
      "client_profiles",
      "policy",
      "excerpt",
      "nearest",
      "regular_file",
      "promises",
      "timer",
      "errors",
    ],
  },
  {
    name: "tools",
    imports: [
      "workspaces",
      "tool",
      "vocabulary",
      "excerpt",
      "nearest",
      "promises",
      "timer",
      "bytes",
      "regex",
      "errors",
      "ids",
    ],
  },
  { name: "resources", imports: ["views", "skills", "terminal/pictures/theme", "version", "errors"] },
  { name: "prompts", imports: ["errors"] },
  { name: "machines", imports: ["tmux", "process", "ffi", "shell/quoting", "promises", "timer", "errors"] },
  { name: "policy", imports: ["shell", "errors", "ids"] },
  { name: "tool", imports: [] },
  {
    name: "workspaces",
    imports: ["watch", "tmux", "nearest", "regular_file", "promises", "timer", "regex", "errors"],
  },
  { name: "services", imports: ["watch", "tmux", "process", "promises", "timer", "errors"] },
  {
    name: "watch",
    imports: [
      "durable",
      "tmux",
      "tmux_protocol",
      "process",
      "ffi",
      "shell",
      "output",
      "findings",
      "masking",
      "terminal",
      "vocabulary",
      "json",
      "nearest",
      "promises",
      "timer",
      "bytes",
      "regex",
      "errors",
      "ids",
    ],
  },
  {
    name: "workers",
    imports: [
      "watch/protocol",
      "shell/marks",
      "shell/quoting",
      "tmux",
      "tmux_protocol",
      "process",
      "ffi",
      "terminal",
      "findings",
      "excerpt",
      "temporary_folder",
      "promises",
      "timer",
      "bytes",
      "errors",
    ],
  },
  { name: "durable", imports: ["errors"] },
  {
    name: "tmux",
    imports: [
      "tmux_protocol",
      "ffi",
      "shell/quoting",
      "excerpt",
      "nearest",
      "promises",
      "timer",
      "bytes",
      "errors",
      "ids",
    ],
  },
  {
    name: "tmux_protocol",
    imports: [
      "ffi",
      "tmux/argv",
      "tmux/control_channel",
      "tmux/exec",
      "tmux/bounded_output",
      "tmux/version",
      "timer",
      "bytes",
    ],
  },
  { name: "process", imports: ["ffi", "shell/quoting", "errors"] },
  { name: "ffi", imports: ["timer", "errors"] },
  { name: "shell", imports: ["excerpt", "errors"] },
  { name: "findings", imports: ["bytes", "excerpt", "timer"] },
  { name: "masking", imports: ["errors"] },
  { name: "output", imports: ["terminal", "timer", "bytes"] },
  { name: "terminal", imports: ["bytes", "promises", "errors"] },
  { name: "config", imports: ["client_profiles", "vocabulary", "nearest", "ids"] },
  { name: "views", imports: [] },
  { name: "skills", imports: [] },
  { name: "version", imports: ["deno.json"] },
  { name: "client_profiles", imports: [] },
  { name: "vocabulary", imports: [] },
  { name: "nearest", imports: [] },
  { name: "excerpt", imports: ["bytes"] },
  { name: "regex", imports: ["errors"] },
  { name: "ids", imports: [] },
  { name: "promises", imports: [] },
  { name: "timer", imports: [] },
  { name: "bytes", imports: [] },
  { name: "json", imports: [] },
  { name: "regular_file", imports: ["errors"] },
  { name: "temporary_folder", imports: [] },
  { name: "errors", imports: [] },
];

/** Which layers may load a package; one that is not named here may be loaded nowhere. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  "@modelcontextprotocol/sdk": ["server"],
  "@modelcontextprotocol/server": ["server"],
  "zod": ["tool", "tools", "config", "server"],
  "re2js": ["regex", "workers", "watch", "policy", "config", "tools", "masking"],
  "@std/path": ["server_policy", "cli", "server", "tools", "tmux", "machines", "durable"],
  "@std/toml": ["cli", "config"],
  "jsonc-parser": ["cli"],
  "yaml": ["cli", "tools", "resources", "workspaces"],
  "@xterm/headless": ["terminal"],
  "@xterm/addon-unicode11": ["resources"],
  "@xterm/xterm": ["resources"],
  "@resvg/resvg-wasm": ["terminal"],
  "dejavu-fonts-ttf": ["terminal"],
  "@expo-google-fonts/noto-emoji": ["terminal"],
  "@fontsource/unifontex": ["terminal"],
  "mvdan-sh": ["shell"],
  "fuzzball": ["tools"],
};

/** Packages that a worker may load, itself or through its imports: each costs every watch its start. */
const WORKER_PACKAGES: readonly string[] = ["re2js"];

/** Lines that may stand only in the files named. */
const LINES: ReadonlyArray<{ pattern: RegExp; allowed: readonly string[]; why: string }> = [
  {
    pattern: /\bDeno\.(env|args)\b/,
    allowed: ["main.ts"],
    why: "environment and arguments are read in main.ts",
  },
  {
    pattern: /sdk\/server\/(index|mcp)\.js/,
    allowed: [],
    why: "it loads a JSON Schema validator, a third of the SDK's start: use src/server/protocol_server.ts",
  },
  {
    pattern: /^import (?!type )[^*]* from "zod"/,
    allowed: [],
    why: 'it loads every language of zod, 8 MB: import * as z from "zod"',
  },
  {
    pattern: /^(import|export) (?!type ).*"node:/,
    allowed: ["src/tools/search/byte_finder.ts"],
    why: "Deno's Node layer takes 5 to 17 ms of a start and up to 8 MB: import() it where it is used",
  },
  {
    pattern: /\.catch\(\(\) => \{\}\)/,
    allowed: ["src/promises.ts"],
    why:
      "it does not say why a failure may pass: bestEffort, settled or handledLater of src/promises.ts does",
  },
  { pattern: /\bconsole\./, allowed: [], why: "stdout is the protocol's" },
  { pattern: /^(export )?(let|var) /, allowed: [], why: "no state belongs to a module" },
  {
    pattern: /^(export )?const \w+ = (\[\]|\{\}|new (Map|Set|WeakMap|WeakSet)(<.*>)?\(\));/,
    allowed: [],
    why: "no state belongs to a module",
  },
];

/** A longer file has two nouns. */
const MAX_LINES = 300;

const VAGUE_NAME = /(^|\/)(utils?|helpers?|common|misc)(\.ts$|\/)/;

// `import type … from "x"`, `import … from "x"`, `export … from "x"`, `import "x"`, `import("x")`, `import.meta.resolve("x")`
const IMPORT =
  /^\s*(?:import|export)(?<type> type)?\s(?:[^;"']*?\sfrom\s+)?["'](?<from>[^"']+)["']|\bimport(?:\.meta\.resolve)?\(\s*["'](?<dynamic>[^"']+)["']/gm;

interface Import {
  specifier: string;
  typeOnly: boolean;
  /** `import("x")`, which is loaded when it is called. */
  dynamic: boolean;
}

/** Source files by path from the checkout's root. */
export type Tree = ReadonlyMap<string, string>;

/** Every place where the tree breaks a rule, as `file: what is wrong`. */
export function findViolations(tree: Tree): string[] {
  const found: string[] = [];
  for (const [path, text] of tree) {
    if (VAGUE_NAME.test(path)) found.push(`${path}: name says nothing; a file is one noun`);
    const lines = text.split("\n").length - 1;
    if (lines > MAX_LINES) found.push(`${path}: has ${lines} lines, over ${MAX_LINES}; a file is one noun`);
    for (const { specifier, typeOnly } of importsOf(text)) {
      const problem = specifier.startsWith(".")
        ? arrowProblem(path, join(dirname(path), specifier), typeOnly)
        : packageProblem(path, specifier, typeOnly);
      if (problem !== undefined) found.push(`${path}: ${problem}`);
    }
    found.push(...lineProblems(path, text));
  }
  return [...found, ...circles(tree), ...workerProblems(tree), ...repeatedTypes(tree)];
}

/** Files whose imports lead back to them, types included: none of a circle's files can be read first. */
function circles(tree: Tree): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const follow = (path: string, way: readonly string[]): void => {
    const from = way.indexOf(path);
    if (from >= 0) found.push(`${path}: imports itself through ${[...way.slice(from + 1), path].join(", ")}`);
    if (from >= 0 || done.has(path)) return;
    for (const { specifier, dynamic } of importsOf(tree.get(path) ?? "")) {
      if (specifier.startsWith(".") && !dynamic) follow(join(dirname(path), specifier), [...way, path]);
    }
    done.add(path);
  };
  for (const path of tree.keys()) follow(path, []);
  return found;
}

const EXPORTED_TYPE = /^export (?:abstract )?(?:class|interface|type|enum) (?<name>\w+)/gm;

/** Exported types that two files declare: a reader who searches for one finds the other. */
function repeatedTypes(tree: Tree): string[] {
  const declaredIn = new Map<string, string>();
  const found: string[] = [];
  for (const [path, text] of tree) {
    for (const { groups } of text.matchAll(EXPORTED_TYPE)) {
      const name = groups?.name ?? "";
      const first = declaredIn.get(name);
      if (first === undefined) declaredIn.set(name, path);
      else found.push(`${path}: exports the type ${name}, which ${first} declares too`);
    }
  }
  return found;
}

function importsOf(text: string): Import[] {
  return [...text.matchAll(IMPORT)].map(({ groups }) => ({
    specifier: groups?.from ?? groups?.dynamic ?? "",
    typeOnly: groups?.type !== undefined,
    dynamic: groups?.dynamic !== undefined,
  }));
}

/** `src/tmux/run.ts` is in layer `tmux`, `src/errors.ts` in `errors`, `workers/watch.ts` in `workers`. */
function layerOf(path: string): string {
  return moduleOf(path).split("/")[0] ?? "";
}

function moduleOf(path: string): string {
  return path.replace(/^src\//, "").replace(/\.ts$/, "");
}

function arrowProblem(from: string, to: string, typeOnly: boolean): string | undefined {
  const [upper, lower] = [layerOf(from), layerOf(to)];
  if (upper === lower) return undefined;
  const rank = LAYERS.findIndex((layer) => layer.name === upper);
  const layer = LAYERS[rank];
  if (layer === undefined) return `layer "${upper}" is not in the table of scripts/deps.ts`;
  if (
    layer.imports === "everything" || layer.imports.some((name) => name === lower || name === moduleOf(to))
  ) {
    return undefined;
  }
  const below = LAYERS.slice(rank + 1).some((other) => other.name === lower);
  if (typeOnly && below) return undefined;
  return `${upper} may not import ${to}${below ? " (a type it may)" : ""}`;
}

/** `npm:zod@^4/mini` and `zod/mini` are both `zod`; `node:` modules are part of the runtime, a `data:` module of its file. */
function packageOf(specifier: string): string | undefined {
  if (/^(node|data):/.test(specifier)) return undefined;
  return /^(?:npm:|jsr:)?\/?(?<name>@[^/]+\/[^/@]+|[^/@]+)/.exec(specifier)?.groups?.name;
}

function packageProblem(path: string, specifier: string, typeOnly: boolean): string | undefined {
  const name = packageOf(specifier);
  if (name === undefined || typeOnly) return undefined;
  if (PACKAGES[name]?.includes(layerOf(path))) return undefined;
  return `${layerOf(path)} may not load the package ${name}`;
}

function lineProblems(path: string, text: string): string[] {
  const rules = LINES.filter(({ allowed }) => !allowed.includes(path));
  return text.split("\n").flatMap((line, index) =>
    rules.filter(({ pattern }) => pattern.test(line) && !/^\s*(\/\/|\*|\/\*)/.test(line))
      .map(({ why }) => `line ${index + 1}: ${line.trim()} (${why})`)
  ).map((problem) => `${path}: ${problem}`);
}

function workerProblems(tree: Tree): string[] {
  const entries = [...tree.keys()].filter((path) => path.startsWith("workers/"));
  const seen = new Set(entries);
  const found = new Set<string>();
  for (const path of seen) {
    for (const { specifier, typeOnly } of importsOf(tree.get(path) ?? "")) {
      if (typeOnly) continue;
      if (specifier.startsWith(".")) seen.add(join(dirname(path), specifier));
      const name = specifier.startsWith(".") ? undefined : packageOf(specifier);
      if (name !== undefined && !WORKER_PACKAGES.includes(name)) {
        found.add(`${path}: loads the package ${name}, and a worker loads this file`);
      }
    }
  }
  return [...found];
}

/** Reads main.ts, src/ and workers/ under a checkout. */
export async function readTree(root: string): Promise<Map<string, string>> {
  const tree = new Map<string, string>();
  const read = async (path: string): Promise<void> => {
    tree.set(relative(root, path), await Deno.readTextFile(path));
  };
  const walk = async (folder: string): Promise<void> => {
    for await (const entry of Deno.readDir(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory) await walk(path);
      else if (entry.name.endsWith(".ts")) await read(path);
    }
  };
  for await (const entry of Deno.readDir(root)) {
    if (entry.name === "main.ts") await read(join(root, entry.name));
    if (entry.name === "src" || entry.name === "workers") await walk(join(root, entry.name));
  }
  return tree;
}

if (import.meta.main) {
  const problems = findViolations(await readTree(fromFileUrl(new URL("..", import.meta.url))));
  for (const problem of problems) Deno.stderr.writeSync(new TextEncoder().encode(`${problem}\n`));
  Deno.exit(problems.length === 0 ? 0 : 1);
}
