// Findings of outputs that real tools printed.
import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { findFindings, fitFindings } from "../../src/findings/find.ts";
import { CommandOutput } from "../../src/commands/output.ts";
import { ERROR_LIKE_TEXTS } from "./error_like_texts.ts";
import { RECORDED_RUNS } from "./recorded_runs.ts";

function readRecorded(name: string): string {
  return Deno.readTextFileSync(fromFileUrl(new URL(`./recorded/${name}.txt`, import.meta.url)));
}

/** The lines that a command's output has after it printed this. */
async function linesOf(printed: string): Promise<string[]> {
  const output = new CommandOutput({ columns: 200, rows: 50 });
  output.push(new TextEncoder().encode(printed));
  await output.finish();
  return output.from(0, { maxLines: Infinity, maxBytes: Infinity }).output.split("\n");
}

function find(lines: readonly string[], failed = true) {
  return findFindings(lines.map((text, offset) => ({ text, offset })), { failed });
}

/** Sum of the tool's own report. */
function ownCount(lines: readonly string[], own: RegExp): number {
  const matches = lines.map((line) => own.exec(line));
  return matches.reduce((sum, match) => {
    if (!match) return sum;
    const numbers = match.slice(1).filter((each) => each !== undefined);
    return sum + (numbers.length === 0 ? 1 : numbers.reduce((all, each) => all + Number(each), 0));
  }, 0);
}

for (const { name, sources, total, own, first, last } of RECORDED_RUNS) {
  Deno.test(`findings of ${name}`, async () => {
    const lines = await linesOf(readRecorded(name));
    const { findings, findingsTotal } = await find(lines);
    assertEquals([...new Set(findings.map(({ source }) => source))], sources);
    assertEquals([findings.length, findingsTotal], [total, total]);
    if (own) assertEquals(findingsTotal, ownCount(lines, own));
    const [beginning, end] = [findings[0]!, findings.at(-1)!].map(({ offset: _, ...fields }) => fields);
    if (first) assertEquals<unknown>(beginning, first);
    assertEquals<unknown>(end, last);
    // Lines before them change nothing, even with more prefixes than there can be tasks, and neither does their place.
    const before = Array.from(
      { length: 1100 },
      (_, i) => `[${i}/1100] bundled src/error_${i}.ts in ${i % 97} ms`,
    );
    const later = await find([...before, ...lines]);
    assertEquals(
      later.findings,
      findings.map((finding) => ({ ...finding, offset: finding.offset + before.length })),
    );
    // A task runner's prefix on each line changes nothing either.
    const prefixed = await find(lines.map((line) => `web-1  | ${line}`));
    assertEquals(prefixed.findings, findings);
  });
}

/** rspec could not be had: written as it prints an expectation of several lines. */
Deno.test("rspec's message is not its expectation's code", async () => {
  const lines = [
    "Failures:",
    "",
    "  1) Sum adds",
    "     Failure/Error:",
    "       expect(1 + 1)",
    "         .to eq(3)",
    "",
    "       expected: 3",
    "            got: 2",
    "",
    "       (compared using ==)",
    "     # ./sum_spec.rb:3:in `block (2 levels) in <top (required)>'",
    "",
    "Finished in 0.03 seconds",
  ];
  const { findings: [finding] } = await find(lines);
  assertEquals([finding?.message, finding?.line], ["expected: 3 got: 2", 3]);
});

/** The SDK could not be had: written as its console logger and MSBuild's print. */
const DOTNET = `  Determining projects to restore...
/home/me/shop/Shop.csproj : error NU1101: Unable to find package Nope. [/home/me/shop/Shop.sln]
CSC : error CS5001: Program does not contain a static 'Main' method [/home/me/shop/Shop.csproj::TargetFramework=net8.0]
/home/me/shop/Cart.cs(7,12): warning CS0168: The variable 'n' is never used [/home/me/shop/Shop.csproj]
[xUnit.net 00:00:00.21]     ShopTests.CartTests.Adds [FAIL]
  Failed ShopTests.CartTests.Adds(count: 2) [1 s 12 ms]
  Error Message:
   Assert.Equal() Failure: Values differ
Expected: 5
Actual:   4
  Stack Trace:
     at ShopTests.CartTests.Adds(Int32 count) in /home/me/shop/CartTests.cs:line 9
   at System.RuntimeMethodHandle.InvokeMethod(Object target, Void** arguments)
  Passed ShopTests.CartTests.Works [< 1 ms]
  Failed Slow [< 1 ms]
  Stack Trace:
     at ShopTests.SlowTests.Slow() in /home/me/shop/Slow Tests.cs:line 3

Failed!  - Failed:     2, Passed:     1, Skipped:     0, Total:     3, Duration: 30 ms - ShopTests.dll (net8.0)
    1 Warning(s)
    2 Error(s)`;

Deno.test("findings of dotnet build and test", async () => {
  const { findings } = await find(DOTNET.split("\n"));
  assertEquals(
    findings.map(({ source, code, file, line, message }) => [source, code, file, line, message]),
    [
      [
        "dotnet",
        "NU1101",
        "/home/me/shop/Shop.csproj",
        undefined,
        "Unable to find package Nope.",
      ],
      ["dotnet", "CS5001", undefined, undefined, "Program does not contain a static 'Main' method"],
      ["dotnet", "CS0168", "/home/me/shop/Cart.cs", 7, "The variable 'n' is never used"],
      [
        "dotnet test",
        "ShopTests.CartTests.Adds(count: 2)",
        "/home/me/shop/CartTests.cs",
        9,
        "Assert.Equal() Failure: Values differ",
      ],
      ["dotnet test", "Slow", "/home/me/shop/Slow Tests.cs", 3, "Slow"],
    ],
  );
});

/** On a terminal, since .NET 9. */
const DOTNET_TERMINAL = `  ShopTests test failed with 4 error(s) (0.8s)
    CartTests.cs(28): error TESTERROR:
      ShopTests.CartTests.Adds(count: 2) (< 1ms): Error Message: Assert.True() Failure
      Expected: True
      Actual:   False
      Stack Trace:
         at ShopTests.CartTests.Adds(Int32 count) in CartTests.cs:line 28
    /home/me/shop/Slow Tests.cs(14): error TESTERROR: 
      ShopTests.SlowTests.Slow (1m 2s): Error Message: 
      items
          should be empty
    /usr/lib/dotnet/sdk/9.0.100/Microsoft.TestPlatform.targets(48,5): error TESTERROR:
      ShopTests.CartTests.Ends (2ms): Error Message: The host ended
    CartTests.cs(40): error TESTERROR:
      ShopTests.CartTests.A_name_that_is_longer_than_the_termi
      nal_is_wide (2ms): Error Message: Assert.Equal() Failure
    CartTests.cs(41): error VSTEST1: (Fails) ShopTests.CartTests.Fails() Assert.Equal failed. [/home/me/shop/ShopTests.csproj]
main.cpp(12): error C2065: 'nope': undeclared identifier

Test summary: total: 5, failed: 4, succeeded: 1, skipped: 0, duration: 0.8s`;

Deno.test("findings of dotnet test on a terminal, and of MSBuild without a column", async () => {
  const { findings } = await find(DOTNET_TERMINAL.split("\n"));
  assertEquals(
    findings.map(({ source, code, file, line, message }) => [source, code, file, line, message]),
    [
      [
        "dotnet test",
        "ShopTests.CartTests.Adds(count: 2)",
        "CartTests.cs",
        28,
        "Assert.True() Failure",
      ],
      [
        "dotnet test",
        "ShopTests.SlowTests.Slow",
        "/home/me/shop/Slow Tests.cs",
        14,
        "ShopTests.SlowTests.Slow",
      ],
      ["dotnet test", "ShopTests.CartTests.Ends", undefined, undefined, "The host ended"],
      [
        "dotnet test",
        undefined,
        "CartTests.cs",
        40,
        "ShopTests.CartTests.A_name_that_is_longer_than_the_termi",
      ],
      ["dotnet", "VSTEST1", "CartTests.cs", 41, "(Fails) ShopTests.CartTests.Fails() Assert.Equal failed."],
      ["dotnet", "C2065", "main.cpp", 12, "'nope': undeclared identifier"],
    ],
  );
});

/** These tools could not be had: written as their documentation and sources show. */
const OTHERS = `e: file:///home/me/shop/src/Cart.kt:3:5 Unresolved reference 'nope'.
w: file:///home/me/shop/build.gradle.kts:9:1: 'foo' is deprecated.
e: /home/me/shop/src/Cart.kt: (4, 7): Type mismatch: inferred type is String but Int was expected
Cart.kt:5:1: error: unresolved reference: nope
/home/me/shop/main.swift:6:3: error: cannot find 'nope' in scope
        nope()
        ^~~~
ninja: error: 'missing.c', needed by 'a.o', missing and no known rule to make it
ninja: error: b.ninja:3: unknown build rule 'nope'
ninja: build stopped: subcommand failed.
[ERROR] Failures: 
[ERROR]   CartTest.adds two numbers:9->sums two:12 expected:<1> but was:<2>
[ERROR]   CartTest.adds:14 
expected: 5
 but was: 4
[ERROR]   ChildTest>BaseTest.adds:22
[ERROR] Errors: 
[ERROR]   CartTest.times out » Timeout after 10:30
[ERROR]   CartTest.<init>:5 » NullPointer
[ERROR] Tests run: 5, Failures: 3, Errors: 2, Skipped: 0
Error: No such file or directory (os error 2)`;

Deno.test("findings of kotlin, swift, ninja and Surefire", async () => {
  const { findings } = await find(OTHERS.split("\n"));
  assertEquals(
    findings.filter(({ source }) => source !== "maven")
      .map(({ source, severity, file, line, column }) => [source, severity, file, line, column]),
    [
      ["kotlin", "error", "/home/me/shop/src/Cart.kt", 3, 5],
      ["kotlin", "warning", "/home/me/shop/build.gradle.kts", 9, 1],
      ["kotlin", "error", "/home/me/shop/src/Cart.kt", 4, 7],
      ["kotlin", "error", "Cart.kt", 5, 1],
      ["swift", "error", "/home/me/shop/main.swift", 6, 3],
      ["ninja", "error", undefined, undefined, undefined],
      ["ninja", "error", "b.ninja", 3, undefined],
    ],
  );
  assertEquals(
    findings.filter(({ source }) => source === "maven").map((
      { code, line, message },
    ) => [code, line, message]),
    [
      ["CartTest.adds two numbers", 9, "expected:<1> but was:<2>"],
      ["CartTest.adds", 14, "expected: 5"],
      ["ChildTest>BaseTest.adds", 22, "ChildTest>BaseTest.adds"],
      ["CartTest.times out", undefined, "» Timeout after 10:30"],
      ["CartTest.<init>", 5, "» NullPointer"],
    ],
  );
});

Deno.test("a line of ESLint's message that ends like a file is not the file of later findings", async () => {
  const printed = readRecorded("eslint_multiline").replace(
    "* Update external",
    "Read docs/effects.md\n\nsetState.js\n$&",
  );
  const { findings } = await find(await linesOf(printed));
  assertEquals(findings.map(({ file, line }) => `${file}:${line}`), [
    "/home/me/shop/Adder.jsx:5",
    "/home/me/shop/Adder.jsx:7",
    "/home/me/shop/Adder.jsx:8",
    "/home/me/shop/Bin/cli:2",
    "/home/me/shop/Shop.jsx:4",
    "/home/me/shop/Shop.jsx:6",
  ]);
  assertEquals(findings[0]?.code, "react-hooks/set-state-in-effect");
});

Deno.test("runs that succeed have no findings", async () => {
  const runs = readRecorded("successes").split("\f").slice(1);
  const found: unknown[] = [];
  for (const run of runs) {
    const [command, ...printed] = run.split("\n");
    const { findings } = await find(await linesOf(printed.join("\n")), false);
    if (findings.length > 0) found.push([command, findings]);
  }
  assertEquals([runs.length, found], [58, []]);
});

Deno.test("texts that only look like errors have no findings", async () => {
  const found: unknown[] = [];
  for (const text of ERROR_LIKE_TEXTS) {
    const { findings } = await find(text.split("\n"));
    if (findings.length > 0) found.push([text, findings]);
  }
  assertEquals([ERROR_LIKE_TEXTS.length >= 20, found], [true, []]);
});

Deno.test("an answer has at most 50 findings, errors first, and says how many there are", async () => {
  const lines = Array.from(
    { length: 200 },
    (_, i) => `src/a.c:${i + 1}:5: ${i >= 150 ? "error" : "warning"}: number ${i}`,
  );
  const found = await find(lines);
  assertEquals([found.findings.length, found.findingsTotal], [50, 200]);
  assertEquals(found.findings.map(({ severity }) => severity), Array(50).fill("error"));
  assertEquals(found.findings.map(({ offset }) => offset), Array.from({ length: 50 }, (_, i) => 150 + i));
});

Deno.test("hundreds of long lines that only begin as a report does are soon read", async () => {
  const lines = [`  1:2  error  ${" ".repeat(980)}.`, `Exception in thread "x" a${"A".repeat(970)}\u2028`];
  const found = await find(Array.from({ length: 300 }, (_, i) => lines[i % 2]!));
  assertEquals(found.findings, []);
});

Deno.test("messages get shorter where findings take too much room", async () => {
  const found = await find(Array.from({ length: 12 }, (_, i) => `a.c:${i}:1: error: ${"long ".repeat(60)}`));
  assertEquals(fitFindings(found, 100_000), found);
  const fitted = fitFindings(found, 1800);
  assertEquals(fitted.findings.map(({ line }) => line), found.findings.map(({ line }) => line));
  assertEquals(JSON.stringify(fitted.findings).length <= 1800, true);
});
