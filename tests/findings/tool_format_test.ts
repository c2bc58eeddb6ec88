// Parts of formats that no recorded run has, written as the tools' sources and documentation show them.
import { assertEquals } from "@std/assert";
import { findFindings } from "../../src/findings/find.ts";

async function found(text: string): Promise<unknown[][]> {
  const lines = text.split("\n").map((line, offset) => ({ text: line, offset }));
  const { findings } = await findFindings(lines, { failed: true });
  return findings.map(({ source, severity, file, line, message }) => [source, severity, file, line, message]);
}

Deno.test("phpunit's risky, incomplete and skipped tests have not failed", async () => {
  const one = (title: string, ...lines: string[]) => [`There was 1 ${title}:`, "", ...lines, "", "--", ""];
  const run = [
    ...one("error", "1) CartTest::testOpens", "RuntimeException: no database", "", "/shop/CartTest.php:9"),
    ...one("risky test", "1) CartTest::testNothing", "This test did not perform any assertions"),
    ...one("failure", "1) CartTest::testAdds", "Failed asserting that 2 is 3.", "", "/shop/CartTest.php:5"),
    ...one("incomplete test", "1) CartTest::testLater", "not yet", "", "/shop/CartTest.php:20"),
    "FAILURES!",
    "Tests: 4, Assertions: 2, Errors: 1, Failures: 1, Incomplete: 1, Risky: 1.",
  ];
  assertEquals(await found(run.join("\n")), [
    ["phpunit", "error", "/shop/CartTest.php", 9, "RuntimeException: no database"],
    ["phpunit", "error", "/shop/CartTest.php", 5, "Failed asserting that 2 is 3."],
  ]);
});

Deno.test("findings of .NET's analyzers, of XCTest, and of ng build", async () => {
  const printed = [
    "/shop/CartTests.cs(7,5): warning xUnit2013: Do not use Assert.Equal() to check sizes. [/shop/Shop.csproj]",
    `/shop/Tests/CartTests.swift:7: error: CartTests.testAdds : XCTAssertEqual failed: ("2") is not equal to ("3")`,
    "Error: src/app/cart.ts:5:3 - error TS2304: Cannot find name 'nope'.",
  ];
  assertEquals(await found(printed.join("\n")), [
    ["dotnet", "warning", "/shop/CartTests.cs", 7, "Do not use Assert.Equal() to check sizes."],
    [
      "swift",
      "error",
      "/shop/Tests/CartTests.swift",
      7,
      `CartTests.testAdds : XCTAssertEqual failed: ("2") is not equal to ("3")`,
    ],
    ["tsc", "error", "src/app/cart.ts", 5, "Cannot find name 'nope'."],
  ]);
});

Deno.test("Python's syntax error counts once: in a file that is run, imported, or read as a text", async () => {
  const error = "SyntaxError: '(' was never closed";
  const direct = ['  File "/shop/cart.py", line 3', "    total = (", "            ^", error];
  const traceback = ["Traceback (most recent call last):", '  File "/shop/app.py", line 1, in <module>'];
  const text = ["    eval('(')", '  File "<string>", line 1', "    (", "    ^", error];
  for (
    const [lines, file] of [
      [direct, "/shop/cart.py"],
      [[...traceback, "    import cart", ...direct], "/shop/cart.py"],
      [[...traceback, ...text], "/shop/app.py"],
    ] as const
  ) {
    const findings = await found([...lines, "", ...direct].join("\n"));
    assertEquals(findings.map(([source, , file, , message]) => [source, file, message]), [
      ["python", file, error],
      ["python", "/shop/cart.py", error],
    ]);
  }
});
