// Checks the imports of a tree against the table of layers.
import { dirname, join } from "@std/path";
import { LAYERS, PACKAGES, WORKER_PACKAGES } from "./layers.ts";
import type { Tree } from "./tree.ts";

// `import type … from "x"`, `import … from "x"`, `export … from "x"`, `import "x"`, `import("x")`, `import.meta.resolve("x")`
const IMPORT =
  /^\s*(?:import|export)(?<type> type)?\s(?:[^;"']*?\sfrom\s+)?["'](?<from>[^"']+)["']|\bimport(?:\.meta\.resolve)?\(\s*["'](?<dynamic>[^"']+)["']/gm;

interface Import {
  specifier: string;
  typeOnly: boolean;
  /** True for `import("x")`, which is loaded when it is called. */
  dynamic: boolean;
}

/** Every import that the table of layers doesn't allow, as `file: what is wrong`. */
export function importProblems(tree: Tree): string[] {
  const found = [...tree].flatMap(([path, text]) =>
    importsOf(text).map(({ specifier, typeOnly }) =>
      specifier.startsWith(".")
        ? arrowProblem(path, join(dirname(path), specifier), typeOnly)
        : packageProblem(path, specifier, typeOnly)
    ).filter((problem) => problem !== undefined).map((problem) => `${path}: ${problem}`)
  );
  return [...found, ...circles(tree), ...workerProblems(tree)];
}

/** Files whose imports lead back to them, including types: no file of such a circle can be read first. */
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

function importsOf(text: string): Import[] {
  return [...text.matchAll(IMPORT)].map(({ groups }) => ({
    specifier: groups?.from ?? groups?.dynamic ?? "",
    typeOnly: groups?.type !== undefined,
    dynamic: groups?.dynamic !== undefined,
  }));
}

/** `src/tmux/run.ts` is in layer `tmux`, `src/errors.ts` in `errors`, `workers/watch_worker.ts` in `workers`. */
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
  if (layer === undefined) return `layer "${upper}" is not in the table of scripts/deps/layers.ts`;
  if (["everything", lower, moduleOf(to)].some((name) => layer.imports.includes(name))) return undefined;
  const below = LAYERS.slice(rank + 1).some((other) => other.name === lower);
  if (typeOnly && below) return undefined;
  return `${upper} may not import ${to}${below ? " (a type it may)" : ""}`;
}

/**
 * Package of a specifier: `zod` for `npm:zod@^4/mini` and `zod/mini`; undefined for `node:` and `data:`
 * modules.
 */
function packageOf(specifier: string): string | undefined {
  if (/^(node|data):/.test(specifier)) return undefined;
  return /^(?:npm:|jsr:)?\/?(?<name>@[^/]+\/[^/@]+|[^/@]+)/.exec(specifier)?.groups?.name;
}

function packageProblem(path: string, specifier: string, typeOnly: boolean): string | undefined {
  const name = packageOf(specifier);
  if (name === undefined || typeOnly) return undefined;
  if (PACKAGES[name]?.split(" ").includes(layerOf(path))) return undefined;
  return `${layerOf(path)} may not load the package ${name}`;
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
