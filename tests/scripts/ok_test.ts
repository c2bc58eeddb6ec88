// The gate's closing line says what happened, whatever went wrong.
import { assert, assertEquals } from "@std/assert";
import { countTests, failedTests, notRunAgain, parseReport, type TestCase } from "../../scripts/junit.ts";
import { gatherTests, testFilesOf } from "../../scripts/ok.ts";
import { Checkout } from "./checkout.ts";

/** A report with these cases, each a name, a file and what stands in it. */
function report(...cases: [name: string, file: string, body?: string][]): TestCase[] {
  const rows = cases.map(([name, file, body = ""]) =>
    `<testcase name="${name}" classname="${file}" time="0.1" line="1" col="6">\n${body}</testcase>`
  );
  return parseReport(
    `<testsuites><testsuite name="a" tests="99">${rows.join("\n")}</testsuite></testsuites>`,
  );
}

const FAILED = '<failure message="no">Error: &lt;x&gt;</failure>';

Deno.test("countTests adds up cases; a skipped test has not passed", () => {
  const cases = report(["a", "./a.ts"], ["b", "./a.ts", "<skipped/>"], ["c", "./c.ts", FAILED]);
  assertEquals(countTests(cases, false), { passed: 1, failed: 1, skipped: 1 });
});

function namesOf(cases: readonly TestCase[]): string[] {
  return cases.map(({ name }) => name);
}

Deno.test("the tests that failed are known, and what ran again is counted once", () => {
  const cases = report(["a", "./a.ts", FAILED], ["a2", "./a.ts"], ["b", "./b.ts"], ["c", "./c.ts", FAILED]);
  assertEquals(namesOf(failedTests(cases)), ["a", "c"]);
  const files = ["./a.ts", "./c.ts"];
  assertEquals(countTests(notRunAgain(cases, { files, cases: [] }), true), {
    passed: 1,
    failed: 0,
    skipped: 0,
  });
  assertEquals(failedTests(parseReport("")), []);
});

Deno.test("of the tests that one file defines for others, those that ran again are replaced", () => {
  const cases = report(
    ["about &quot;x&quot;", "./maker.ts", FAILED],
    ["about &quot;x&quot; &gt; one", "./steps.ts", FAILED],
    ["another", "./maker.ts"],
    ["third", "./maker.ts", FAILED],
  );
  const again = report(["about &quot;x&quot;", "./maker.ts"]);
  assertEquals(namesOf(notRunAgain(cases, { files: ["./x_test.ts"], cases: again })), ["another", "third"]);
});

Deno.test("a step that another file made counts with its test", () => {
  const cases = report(
    ["a", "./a.ts", FAILED],
    ["b", "./b.ts"],
    ["a &gt; one", "./steps.ts", FAILED],
    ["a &gt; two", "./steps.ts"],
    ["b &gt; one", "./steps.ts"],
  );
  assertEquals(namesOf(failedTests(cases)), ["a"]);
  const again = { files: ["./a.ts"], cases: [] };
  assertEquals(countTests(notRunAgain(cases, again), true), { passed: 2, failed: 0, skipped: 0 });
});

Deno.test("countTests sees a failure outside of any test", () => {
  assertEquals(countTests(report(["a", "./a.ts"]), false), { passed: 1, failed: 1, skipped: 0 });
  assertEquals(countTests([], false), { passed: 0, failed: 1, skipped: 0 });
});

Deno.test("a machine that cannot be set up is a failure, counted in the closing line", async () => {
  await using checkout = await Checkout.create();
  await checkout.provide("tmux", "echo tmux 3.1");
  await checkout.provide("npm", "exit 1");
  await checkout.provide("apt-get", "exit 1");
  const { code, stdout } = await checkout.run(".ci/run");
  assertEquals(code, 1);
  assertEquals(stdout.trimEnd().split("\n").at(-1), "0 passed, 1 failed");
});

/** The gate's exit code and closing line for one test file with this body. */
async function gateOn(
  folder: string,
  body: string,
  beside: readonly string[] = [],
): Promise<[code: number, closing: string | undefined]> {
  const file = `${folder}/body_test.ts`;
  await Deno.writeTextFile(file, `Deno.test("body", () => {${body}});`);
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      new URL("../../scripts/ok.ts", import.meta.url).pathname,
      "--no-check",
      file,
      ...beside,
    ],
    cwd: folder,
  }).output();
  return [code, new TextDecoder().decode(stdout).trimEnd().split("\n").at(-1)];
}

Deno.test("a test that was made elsewhere is run again where it is", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${folder}/deep`);
    await Deno.writeTextFile(`${folder}/deep/far_test.ts`, 'import { far } from "../support/maker.ts";');
    await Deno.writeTextFile(`${folder}/near_test.ts`, 'import { near } from "./support/nearby.ts";');
    await Deno.writeTextFile(
      `${folder}/other_test.ts`,
      'import { far } from "./support/maker.ts"; far("both");',
    );
    const failed = ["./tests/support/maker.ts", "./tests/a_test.ts"];
    assertEquals((await testFilesOf(failed, folder)).sort(), [
      "./tests/a_test.ts",
      `${folder}/deep/far_test.ts`,
      `${folder}/other_test.ts`,
    ]);
    for (const test of ["both", "both, without a client"]) {
      assertEquals(await testFilesOf(failed.slice(0, 1), folder, [test]), [`${folder}/other_test.ts`]);
    }
    assertEquals(await testFilesOf(["./tests/a_test.ts"], folder), ["./tests/a_test.ts"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("an error outside of any test fails the gate, though what failed beside it passes alone", async () => {
  const folder = await Deno.makeTempDir();
  const outside = `${folder}/outside_test.ts`;
  try {
    await Deno.writeTextFile(outside, 'Deno.test("fine", () => {}); throw new Error("outside");');
    const once = `try { Deno.mkdirSync("${folder}/seen"); } catch { return; } throw new Error("once")`;
    assertEquals(await gateOn(folder, once, [outside]), [1, "1 passed, 1 failed"]);
    assertEquals(await gateOn(folder, "", [outside]), [1, "1 passed, 1 failed"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a file that fails has one run more: what fails again is a failure, what passes alone has passed", async () => {
  const folder = await Deno.makeTempDir();
  try {
    assertEquals(await gateOn(folder, `throw new Error("always")`), [1, "0 passed, 1 failed"]);
    const once = `try { Deno.mkdirSync("${folder}/seen"); } catch { return; } throw new Error("once")`;
    assertEquals(await gateOn(folder, once), [0, "1 passed, 0 failed"]);
    const reruns = (await Deno.readTextFile(`${folder}/.tools/reruns.txt`)).trimEnd().split("\n");
    assertEquals(reruns.map((row) => row.split("_test.ts: ")[1]), ["failed again", "passed alone"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("files with the most text run first, and those of a browser by themselves", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const bytes = { "browser/a": 9, "e2e/a": 1, "e2e/b": 3, "units/a": 2 };
    for (const [name, size] of Object.entries(bytes)) {
      await Deno.mkdir(`${folder}/tests/${name.split("/")[0]}`, { recursive: true });
      await Deno.writeTextFile(`${folder}/tests/${name}_test.ts`, ";".repeat(size));
    }
    const gathered = await gatherTests(`${folder}/tests`, folder);
    const texts = await Promise.all(gathered.map((path) => Deno.readTextFile(path)));
    assertEquals(texts.map((text) => [...text.matchAll(/\/tests\/(.*)_test/g)].map(([, name]) => name)), [
      ["e2e/b"],
      ["units/a"],
      ["e2e/a"],
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

async function isSpread(folders: readonly string[], most: number): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    for (const each of folders) await Deno.mkdir(`${folder}/tests/${each}`, { recursive: true });
    const names = Array.from({ length: 1000 }, (_, index) => `${index}_test.ts`);
    for (const [at, name] of names.entries()) {
      await Deno.writeTextFile(`${folder}/tests/${folders[at % folders.length]}/${name}`, ";");
    }
    const gathered = await gatherTests(`${folder}/tests`, folder);
    assert(gathered.length < most, `${gathered.length} files`);
    const texts = await Promise.all(gathered.map((path) => Deno.readTextFile(path)));
    const imported = texts.map((text) => [...text.matchAll(/([0-9]+_test.ts)"/g)].map(([, name]) => name!));
    assertEquals(imported.flat().sort(), names.sort());
    assertEquals(Math.max(...imported.map((each) => each.length)), Math.ceil(1000 / gathered.length));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("files that run beside each other are spread over a limited number", () => isSpread(["e2e"], 500));

Deno.test("files of units are loaded together, whichever folder they are of", () =>
  isSpread(Array.from({ length: 200 }, (_, index) => `units${index}`), 150));

Deno.test("the log of reruns says of each file how it fared, not of all together or of those of its folder", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${folder}/tests/units`, { recursive: true });
    const always = 'Deno.test("other", () => { throw new Error("always"); });';
    await Deno.writeTextFile(`${folder}/tests/units/other_test.ts`, always);
    await Deno.writeTextFile(`${folder}/tests/units/third_test.ts`, 'Deno.test("third", () => {});');
    const gathered = await gatherTests(`${folder}/tests`, folder);
    const once = `try { Deno.mkdirSync("${folder}/seen"); } catch { return; } throw new Error("once")`;
    assertEquals(await gateOn(folder, once, gathered), [1, "2 passed, 1 failed"]);
    const reruns = (await Deno.readTextFile(`${folder}/.tools/reruns.txt`)).trimEnd().split("\n");
    assertEquals(reruns.map((row) => row.split("/").at(-1)).sort(), [
      "body_test.ts: passed alone",
      "other_test.ts: failed again",
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
