// Findings after what runners of several tasks put before each line.
import { assertEquals } from "@std/assert";
import { findFindings } from "../../src/findings/find.ts";

async function found(text: string): Promise<unknown[][]> {
  const lines = text.split("\n").map((line, offset) => ({ text: line, offset }));
  const { findings } = await findFindings(lines, { failed: true });
  return findings.map(({ source, file, line, message, offset }) => [offset, source, file, line, message]);
}

const GCC = "src/a.c:1:2: error: expected ‘;’";
const FOUND = ["gcc", "src/a.c", 1, "expected ‘;’"];

for (
  const prefix of [
    "#12 3.456 ",
    "3.456 ",
    "web-1  | ",
    "12:01:02 web.1  | ",
    "│ ",
    "[0] ",
    "[api] ",
    "[@shop/api]: ",
    "[CI/build]   | ",
    "[CI/Test on Linux]   | ",
    "api: ",
    "@shop/api: ",
    "@shop/api:build: ",
    "api:build:c: ",
    "packages/api build: ",
    ". build: ",
    "#12 3.456 packages/api build: ",
    "web-1  | @shop/api:build: [0] ",
  ]
) {
  Deno.test(`a finding after "${prefix}" has the tool's own path`, async () => {
    assertEquals(await found(`${prefix}start\n${prefix}${GCC}`), [[1, ...FOUND]]);
  });
}

Deno.test("tasks that print at the same time are read apart", async () => {
  const lines = [
    "[0] error[E0425]: cannot find value `a`",
    "[1] error[E0308]: mismatched types",
    "[0]  --> src/a.rs:3:5",
    "web:lint: ",
    "web:lint: /shop/web/cart.js",
    "api:lint: /shop/api/cart.js",
    "web:lint:   1:5  error  'a' is never used  no-unused-vars",
    "api:lint:   2:5  error  'b' is never used  no-unused-vars",
    "[1]  --> src/b.rs:4:5",
  ];
  assertEquals(await found(lines.join("\n")), [
    [0, "rustc", "src/a.rs", 3, "cannot find value `a`"],
    [1, "rustc", "src/b.rs", 4, "mismatched types"],
    [6, "eslint", "/shop/web/cart.js", 1, "'a' is never used"],
    [7, "eslint", "/shop/api/cart.js", 2, "'b' is never used"],
  ]);
});

Deno.test("a docker build's failed step counts once, although its last lines are printed twice", async () => {
  const steps = [
    "#8 [2/2] RUN make",
    "#8 0.312 gcc -c src/a.c",
    `#8 0.344 ${GCC}`,
    '#8 ERROR: process "/bin/sh -c make" did not complete successfully: exit code: 2',
  ];
  const end = ["------", " > [2/2] RUN make:", "0.312 gcc -c src/a.c", `0.344 ${GCC}`, "------"];
  assertEquals(await found([...steps, ...end].join("\n")), [[2, ...FOUND]]);
  assertEquals(await found(end.join("\n")), [[3, ...FOUND]]);
});

Deno.test("thousands of lines with a prefix of their own hide no task", async () => {
  const lines = Array.from({ length: 3000 }, (_, i) => `step${i}: done`);
  lines[10] = `api: ${GCC}`;
  lines[2000] = `api: ${GCC}`;
  assertEquals(await found(lines.join("\n")), [[10, ...FOUND], [2000, ...FOUND]]);
});

Deno.test("a report of several lines counts once, with hundreds of lines of other tasks in it", async () => {
  const others = Array.from({ length: 900 }, (_, i) => `step${i}: done`);
  const sections = ["= FAILURES =", "____ test_x ____", "E   boom", "a_test.py:3: AssertionError"];
  const summary = ["= short test summary info =", "FAILED a_test.py::test_x", "= 1 failed in 0.1s ="];
  const report = (lines: string[]) => lines.map((line) => `web: ${line}`);
  const lines = [...report(sections), ...others, ...report(summary)];
  assertEquals(await found(lines.join("\n")), [[905, "pytest", "a_test.py", 3, "boom"]]);
});

for (
  const [lines, finding] of [
    [["error[E0308]: mismatched types", " --> 1.0 core/src/x.rs:1:2"], [0, "rustc", "1.0 core/src/x.rs", 1]],
    [["[ERROR] [client] app/Foo.java:[3,4] bad"], [0, "maven", "[client] app/Foo.java", 3]],
    [["=== short test summary info ===", "FAILED 1.0 b/a_test.py - boom"], [
      1,
      "pytest",
      "1.0 b/a_test.py",
      undefined,
    ]],
    [["1.0 app/foo.js", "  1:2  error  Bad thing  no-x"], [1, "eslint", "1.0 app/foo.js", 1]],
    [["Traceback (most recent call last):", '  File "1.0 app/x.py", line 3', "E: x"], [
      0,
      "python",
      "1.0 app/x.py",
      3,
    ]],
    [[`[build] web-1  | web:build: [ui] ${GCC}`], [0, "gcc", "[ui] src/a.c", 1]],
  ] as const
) {
  Deno.test(`a path that begins as a prefix does is kept: ${lines.at(-1)}`, async () => {
    const places = (await found(lines.join("\n"))).map((each) => each.slice(0, 4));
    assertEquals(places, [[...finding]]);
  });
}

Deno.test("log lines have no findings", async () => {
  const lines = [
    '{"level":"error","msg":"src/a.c:1:2: error: no"}',
    "2026-11-22T10:00:00Z api: error: cannot listen",
    "[12:30:45] api: error: cannot listen",
    "[info] app.py:33 error: request failed",
    "db-1  | 2026-11-22 10:00:00 UTC [1] ERROR:  relation does not exist",
    "web-1  | GET /a.c:3 500",
    "web-1  | Traceback of packages is in the manual",
    "api: error[config]: no such key",
    "api: Error: connection refused",
    "[1] panic: do not",
  ];
  assertEquals(await found(lines.join("\n")), []);
});
