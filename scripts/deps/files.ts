// Checks the name, content, declarations and length of each file of a tree.
import type { Tree } from "./tree.ts";

/** Lines that are allowed only in the named files. */
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

/** Maximum lines of a file; a longer file has two nouns. */
const MAX_LINES = 300;

const VAGUE_NAME = /(^|\/)(utils?|helpers?|common|misc)(\.ts$|\/)/;

/** Every violation in a file, as `file: what is wrong`. */
export function fileProblems(tree: Tree): string[] {
  const found = [...tree].flatMap(([path, text]) => {
    const lines = text.split("\n").length - 1;
    return [
      ...(VAGUE_NAME.test(path) ? [`${path}: name says nothing; a file is one noun`] : []),
      ...(lines > MAX_LINES ? [`${path}: has ${lines} lines, over ${MAX_LINES}; a file is one noun`] : []),
      ...lineProblems(path, text),
    ];
  });
  return [...found, ...repeatedNames(tree)];
}

const EXPORTED = /^export (?:abstract |async )?(?<kind>class|interface|type|enum|function)\*? (?<name>\w+)/gm;

/**
 * Exported types and functions that two files declare, so that a reader who searches for one finds the other.
 */
function repeatedNames(tree: Tree): string[] {
  const declaredIn = new Map<string, string>();
  const found: string[] = [];
  for (const [path, text] of tree) {
    for (const { groups } of text.matchAll(EXPORTED)) {
      const { kind, name } = groups as { kind: string; name: string };
      const first = declaredIn.get(name);
      if (first === undefined) declaredIn.set(name, path);
      else found.push(`${path}: exports the ${kind} ${name}, which ${first} declares too`);
    }
  }
  return found;
}

function lineProblems(path: string, text: string): string[] {
  const rules = LINES.filter(({ allowed }) => !allowed.includes(path));
  return text.split("\n").flatMap((line, index) =>
    rules.filter(({ pattern }) => pattern.test(line) && !/^\s*(\/\/|\*|\/\*)/.test(line))
      .map(({ why }) => `line ${index + 1}: ${line.trim()} (${why})`)
  ).map((problem) => `${path}: ${problem}`);
}
