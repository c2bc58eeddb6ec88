// Which tests the fast round runs, and what it says of a tree that is wrong.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "../../scripts/packages/identity.ts";
import { testsFor } from "../../scripts/fast.ts";

const LAWS = ["tests/contract/arrows_test.ts", "tests/contract/tools_test.ts"];

Deno.test("a changed module brings the unit tests that import it, and a changed test itself", async () => {
  const tests = join(ROOT, "tests");
  const relative = async (...changed: string[]): Promise<string[]> =>
    (await testsFor(changed, tests)).map((file) => file.replace(`${ROOT}`, "").replace(/^\//, ""));
  assertEquals(await relative(), LAWS);
  assertEquals(await relative("README.md", "docs/cli.md"), LAWS);
  const near = await relative("src/excerpt.ts");
  assert(near.includes("tests/excerpt_test.ts"), near.join(" "));
  const changed = await relative("tests/e2e/recording_test.ts");
  assertEquals(changed, [...LAWS, "tests/e2e/recording_test.ts"]);
});

Deno.test("a check that fails is named with its reason, and the others still run", async () => {
  const folder = await Deno.makeTempDir({ prefix: "tmux-mcp-test-" });
  try {
    await Deno.writeTextFile(join(folder, "wrong.ts"), "export const  a: string = 1;\n");
    const script = `import { runChecks } from "${join(ROOT, "scripts/checks.ts")}";
      console.log(JSON.stringify(await runChecks(${JSON.stringify(folder)})));`;
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", script],
      cwd: ROOT,
      env: { NO_COLOR: "1" },
      stderr: "null",
    }).output();
    const text = new TextDecoder().decode(stdout);
    for (const line of ["FAIL format", "FAIL types", "TS2322"]) assertStringIncludes(text, line);
    assertEquals(JSON.parse(text.trimEnd().split("\n").at(-1)!), { passed: 1, failed: 5 }, text);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
