// The gate's closing line tells what happened, whatever went wrong.
import { assertEquals } from "@std/assert";
import { countTests, failedFiles, testFilesOf, withoutFiles } from "../../scripts/ok.ts";
import { Checkout } from "./checkout.ts";

function report(suites: string): string {
  return `<?xml version="1.0"?>\n<testsuites name="deno test" tests="99" failures="99" errors="0">${suites}</testsuites>`;
}

Deno.test("countTests adds up suites; a skipped test has not passed", () => {
  const xml = report(
    `<testsuite name="a" tests="5" disabled="1" errors="0" failures="2"></testsuite>` +
      `<testsuite name="b" tests="3" disabled="0" errors="0" failures="0"></testsuite>`,
  );
  assertEquals(countTests(xml, false), { passed: 5, failed: 2, skipped: 1 });
});

Deno.test("the files that failed are known, and counted once", () => {
  const xml = report(
    `<testsuite name="./a.ts" tests="5" disabled="0" errors="0" failures="2"><testcase/></testsuite>` +
      `<testsuite name="./b.ts" tests="3" disabled="0" errors="0" failures="0"></testsuite>` +
      `<testsuite name="./c.ts" tests="1" disabled="0" errors="1" failures="0"></testsuite>`,
  );
  assertEquals(failedFiles(xml), ["./a.ts", "./c.ts"]);
  assertEquals(countTests(withoutFiles(xml, failedFiles(xml)), true), { passed: 3, failed: 0, skipped: 0 });
  assertEquals(failedFiles(""), []);
});

Deno.test("countTests sees a failure outside of any test", () => {
  const xml = report(`<testsuite name="a" tests="2" disabled="0" errors="0" failures="0"></testsuite>`);
  assertEquals(countTests(xml, false), { passed: 2, failed: 1, skipped: 0 });
  assertEquals(countTests("", false), { passed: 0, failed: 1, skipped: 0 });
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
async function gateOn(folder: string, body: string): Promise<[code: number, closing: string | undefined]> {
  const file = `${folder}/body_test.ts`;
  await Deno.writeTextFile(file, `Deno.test("body", () => {${body}});`);
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", new URL("../../scripts/ok.ts", import.meta.url).pathname, file],
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
    const failed = ["./tests/support/maker.ts", "./tests/a_test.ts"];
    assertEquals(await testFilesOf(failed, folder), ["./tests/a_test.ts", `${folder}/deep/far_test.ts`]);
    assertEquals(await testFilesOf(["./tests/a_test.ts"], folder), ["./tests/a_test.ts"]);
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
