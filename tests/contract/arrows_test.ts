// The tree keeps to the import arrows, and each kind of breach is seen.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { findViolations } from "../../scripts/deps.ts";
import { readTree } from "../../scripts/deps/tree.ts";

const root = fromFileUrl(new URL("../..", import.meta.url));

function problemsOf(files: Record<string, string>): string[] {
  return findViolations(new Map(Object.entries(files)));
}

Deno.test("the tree keeps to the import arrows", async () => {
  const tree = await readTree(root);
  assertEquals(tree.has("src/errors.ts"), true);
  assertEquals(findViolations(tree), []);
});

Deno.test("files that import each other are named, also through a type; a lazy import is no circle", () => {
  const problems = problemsOf({
    "src/tmux/a.ts": `import type { B } from "./b.ts";`,
    "src/tmux/b.ts": `import { c } from "./c.ts";`,
    "src/tmux/c.ts": `import { a } from "./a.ts";\nimport { d } from "./d.ts";`,
    "src/tmux/d.ts": `const late = await import("./a.ts");`,
  });
  assertEquals(problems, [
    "src/tmux/a.ts: imports itself through src/tmux/b.ts, src/tmux/c.ts, src/tmux/a.ts",
  ]);
});

const breaches: Record<string, { path: string; text: string; says: string }> = {
  "a lower layer imports a higher one": {
    path: "src/tmux/run.ts",
    text: `import { x } from "../tools/panes.ts";`,
    says: "tmux may not import src/tools/panes.ts",
  },
  "a type comes from a higher layer": {
    path: "src/tmux/run.ts",
    text: `import type { X } from "../tools/panes.ts";`,
    says: "tmux may not import src/tools/panes.ts",
  },
  "a tool loads the engine": {
    path: "src/tools/panes.ts",
    text: `import {\n  run,\n} from "../tmux/run.ts";`,
    says: "tools may not import src/tmux/run.ts (a type it may)",
  },
  "a re-export crosses layers": {
    path: "src/errors.ts",
    text: `export { run } from "./tmux/run.ts";`,
    says: "errors may not import src/tmux/run.ts",
  },
  "a lazy import crosses layers": {
    path: "src/process/probe.ts",
    text: `const late = await import("../watch/supervisor.ts");`,
    says: "process may not import src/watch/supervisor.ts",
  },
  "a worker reaches into the host's side": {
    path: "workers/watch_worker.ts",
    text: `import { start } from "../src/watch/supervisor.ts";`,
    says: "workers may not import src/watch/supervisor.ts",
  },
  "the SDK outside of server": {
    path: "src/tools/panes.ts",
    text: `import { McpError } from "@modelcontextprotocol/sdk/types.js";`,
    says: "tools may not load the package @modelcontextprotocol/sdk",
  },
  "the SDK's server with its validator": {
    path: "src/server/sdk.ts",
    text: `export { Server } from "@modelcontextprotocol/sdk/server/index.js";`,
    says: "it loads a JSON Schema validator",
  },
  "all of zod": {
    path: "src/tools/panes.ts",
    text: `import { z } from "zod";`,
    says: 'import * as z from "zod"',
  },
  "a module of Node that every start loads": {
    path: "src/server/transport/stdio_transport.ts",
    text: `import process from "node:process";`,
    says: "import() it where it is used",
  },
  "zod in the engine": {
    path: "src/tmux/rows.ts",
    text: `import * as z from "npm:zod@^4/mini";`,
    says: "tmux may not load the package zod",
  },
  "a package nobody agreed on": {
    path: "src/tools/panes.ts",
    text: `import _ from "lodash";`,
    says: "tools may not load the package lodash",
  },
  "the environment outside of main.ts": {
    path: "src/config.ts",
    text: `export const home = Deno.env.get("HOME");`,
    says: "environment and arguments are read in main.ts",
  },
  "a failure dropped without a word": {
    path: "src/config.ts",
    text: `  await read().catch(() => {});`,
    says: "it does not say why a failure may pass",
  },
  "printing": { path: "src/config.ts", text: `  console.log("x");`, says: "stdout is the protocol's" },
  "a module-level let": {
    path: "src/config.ts",
    text: `let count = 0;`,
    says: "no state belongs to a module",
  },
  "a module-level cache": {
    path: "src/config.ts",
    text: `const cache = new Map<string, number>();`,
    says: "no state belongs to a module",
  },
  "a vague name": { path: "src/tmux/utils.ts", text: "", says: "a file is one noun" },
  "a file with more lines than one noun needs": {
    path: "src/tmux/rows.ts",
    text: "// a line\n".repeat(301),
    says: "has 301 lines, over 300",
  },
  "a layer nobody knows": {
    path: "src/extra/x.ts",
    text: `import { AppError } from "../errors.ts";`,
    says: `layer "extra" is not in the table`,
  },
};

for (const [name, { path, text, says }] of Object.entries(breaches)) {
  Deno.test(`arrows: ${name} is a violation`, () => {
    const problems = problemsOf({ [path]: text });
    assertEquals(problems.length, 1, problems.join("\n"));
    assertStringIncludes(problems[0] ?? "", `${path}: `);
    assertStringIncludes(problems[0] ?? "", says);
  });
}

Deno.test("arrows: a package that a worker loads through another file is a violation", () => {
  assertEquals(
    problemsOf({
      "workers/watch_worker.ts": `import { screen } from "../src/terminal/screen.ts";`,
      "src/terminal/screen.ts": `import { Terminal } from "@xterm/headless";`,
    }),
    ["src/terminal/screen.ts: loads the package @xterm/headless, and a worker loads this file"],
  );
});

Deno.test("arrows: a name that two files export is a violation", () => {
  assertEquals(
    problemsOf({
      "src/tmux/rows.ts": "export interface Row {}\nexport function readRows() {}\nfunction cut() {}",
      "src/terminal/row.ts": "export class Row {}\nexport async function* readRows() {}\nfunction cut() {}",
    }),
    [
      "src/terminal/row.ts: exports the class Row, which src/tmux/rows.ts declares too",
      "src/terminal/row.ts: exports the function readRows, which src/tmux/rows.ts declares too",
    ],
  );
});

Deno.test("arrows: what the design allows is no violation", () => {
  assertEquals(
    problemsOf({
      "main.ts": `import { createServer } from "./src/mod.ts";\nconst home = Deno.env.get("HOME");`,
      "src/server/wire.ts": `import { Protocol } from "@modelcontextprotocol/sdk/shared/protocol.js";`,
      "src/tools/panes.ts": [
        `import * as z from "zod";`,
        `import { defineTool } from "../tool.ts";`,
        `import type { Tmux } from "../tmux/run.ts";`,
        `// console.log is not used here`,
      ].join("\n"),
      "src/tool.ts": `import type { Watch } from "./watch/supervisor.ts";`,
      "workers/watch_worker.ts":
        `import { RE2JS } from "re2js";\nimport { parse } from "../src/watch/protocol.ts";\nimport "./triggers.ts";`,
      "workers/triggers.ts": `import { classify } from "../src/process/classify.ts";`,
    }),
    [],
  );
});
