// Answers of failing commands: each failure and its place, in few bytes.
import { assert, assertEquals } from "@std/assert";
import { inPanesOfOneServer } from "../support/one_server.ts";

const test = inPanesOfOneServer("findings of failing commands");

/** A run of pytest with `passed` lines of tests that passed and a few that failed. */
function pytestRun(passed: number): string {
  const failed = Array.from(
    { length: 8 },
    (_, i) => `FAILED tests/test_cart.py::test_${i} - assert ${i} == ${i + 1}`,
  );
  return [
    "============================= test session starts ==============================",
    ...Array.from(
      { length: passed },
      (_, i) => `tests/test_${i % 13}.py::test_that_works_${i % 7} PASSED [ 12%]`,
    ),
    "=========================== short test summary info ============================",
    ...failed,
    `========================= 8 failed, ${passed} passed in 3.21s =========================`,
  ].join("\n");
}

test("a failing run of 5,000 lines answers every failure in 2,400 bytes", async (pane) => {
  const path = `${pane.world.folder}/run.txt`;
  await Deno.writeTextFile(path, pytestRun(5000));
  const run = await pane.run(`cat ${path}; false`);
  assertEquals([run.exitCode, run.findingsTotal, run.findings?.length], [1, 8, 8]);
  assertEquals(run.findings?.[0], {
    file: "tests/test_cart.py",
    severity: "error",
    message: "assert 0 == 1",
    code: "test_0",
    source: "pytest",
    offset: 5002,
  });
  const { length } = JSON.stringify(run);
  assert(length <= 2400, `${length} bytes`);
  assertEquals([run.outputTruncated, run.totalLines], [true, 5011]);
  assert(run.output.endsWith("8 failed, 5000 passed in 3.21s ========================="), run.output);
  const { commandId } = run;
  const read = (args: Record<string, unknown>) =>
    pane.client.ok("get-command-result", { commandId, ...args });
  const part = await read({ offset: run.findings![7]!.offset, maxLines: 1 });
  assertEquals(part.output, "FAILED tests/test_cart.py::test_7 - assert 7 == 8");
  assertEquals(part.findings, undefined);
  const full = await read({ view: "full", findings: false });
  assertEquals([full.output, full.findings], [pytestRun(5000), undefined]);
});

/** Lines that tools print beside their failures, each with the line of the recorded run that it stands before. */
const PADDED: readonly { name: string; failures: number; before: RegExp; line: (i: number) => string }[] = [
  {
    name: "jest",
    failures: 5,
    before: /Determining/,
    line: (i) =>
      `\x1b[0m\x1b[7m\x1b[1m\x1b[32m PASS \x1b[39m\x1b[22m\x1b[27m\x1b[0m src/part${i}/cart.test.js (${
        i % 9
      }.2 s)`,
  },
  { name: "cargo_test", failures: 3, before: /^test /, line: (i) => `test tests::works_${i} ... ok` },
  {
    name: "go_test_v",
    failures: 3,
    before: /^=== RUN/,
    line: (i) => i % 2 ? `--- PASS: TestWorks${i} (0.00s)` : `=== RUN   TestWorks${i + 1}`,
  },
  { name: "go_test", failures: 4, before: /^--- FAIL/, line: (i) => `ok  \tshop/part${i}\t0.${i}s` },
  {
    name: "tsc",
    failures: 6,
    before: /Found/,
    line: (i) => `/home/me/shop/node_modules/typescript/lib/lib.es${i}.d.ts`,
  },
];

test("a failing run of 2,000 lines of each tool answers every failure in 2,400 bytes", async (pane, t) => {
  for (const { name, failures, before, line } of PADDED) {
    await t.step(name, async () => {
      const recorded = await Deno.readTextFile(new URL(`../findings/recorded/${name}.txt`, import.meta.url));
      const lines = recorded.split(/\r?\n/);
      const at = lines.findIndex((each) => before.test(each));
      assert(at >= 0, `no ${before}`);
      lines.splice(at, 0, ...Array.from({ length: 2000 }, (_, i) => line(i)));
      const path = `${pane.world.folder}/${name}.txt`;
      await Deno.writeTextFile(path, lines.join("\n"));
      const run = await pane.run(`cat ${path}; (exit 1)`);
      assertEquals([run.findingsTotal, run.findings?.length], [failures, failures]);
      const { length } = new TextEncoder().encode(JSON.stringify(run));
      assert(length <= 2400, `${length} bytes`);
      assert(run.totalLines > 2000);
    });
  }
});

test("a failing run in another script answers every failure in 2,400 bytes too", async (pane) => {
  const path = `${pane.world.folder}/other_script.txt`;
  const lines = Array.from({ length: 5000 }, (_, i) => `正在编译第${i * 7919 % 1000}个文件，请稍候……`);
  for (let i = 0; i < 10; i++) {
    lines[i * 500] =
      `源代码/模块_${i}.c:${i}:5: error: 使用了未声明的标识符 “变量${i}” 请检查拼写并且重新编译这个文件`;
  }
  await Deno.writeTextFile(path, lines.join("\n"));
  const run = await pane.run(`cat ${path}; false`);
  assertEquals([run.findings?.length, run.findingsTotal], [10, 10]);
  const { length } = new TextEncoder().encode(JSON.stringify(run));
  assert(length <= 2400, `${length} bytes`);
});

test("findings come with a failure, or when they are asked for", async (pane) => {
  const gcc = "echo 'main.c:3:5: warning: unused variable ‘x’ [-Wunused-variable]'";
  const warned = await pane.run(gcc);
  assertEquals(warned.findings, undefined);
  const found = [{
    file: "main.c",
    line: 3,
    column: 5,
    severity: "warning",
    message: "unused variable ‘x’",
    code: "-Wunused-variable",
    source: "gcc",
    offset: 0,
  }];
  const { commandId } = warned;
  const asked = await pane.client.ok("get-command-result", { commandId, findings: true });
  assertEquals([asked.findings, asked.findingsTotal], [found, 1]);
  const failed = await pane.run(`${gcc}; (exit 2)`);
  assertEquals([failed.exitCode, failed.findings, failed.output], [2, found, warned.output]);
  const none = await pane.run("echo error: something; false");
  assertEquals([none.exitCode, none.findings, none.findingsTotal], [1, undefined, undefined]);
  const empty = await pane.client.ok("get-command-result", { commandId: none.commandId, findings: true });
  assertEquals([empty.findings, empty.findingsTotal], [[], 0]);
  const quick = await pane.run("true");
  assert(JSON.stringify(quick).length <= 200, JSON.stringify(quick));
});
