// Lines that the default patterns take for errors.
import { assert } from "@std/assert";
import { RE2JS } from "re2js";
import { load } from "./support/config_input.ts";

Deno.test("error pattern matches `failsafe`, `0 failed`", async () => {
  const { options } = await load({});
  const ignore = RE2JS.compile(options.errorIgnorePattern);
  const error = RE2JS.compile(options.errorPattern);
  const reports = (line: string): boolean => error.matcher(ignore.matcher(line).replaceAll(" ")).find();
  const failures = [
    "error: cannot open",
    "Error opening file",
    "error[E0425]: cannot find value",
    "ValueError: bad",
    "Traceback (most recent call last):",
    "npm ERR! code ELIFECYCLE",
    "FATAL: no disk",
    "panic: runtime",
    "thread 'main' panicked at",
    "Exception in thread",
    "test failed",
    "FAIL src/a.test.ts",
    "10 failed, 0 errors",
    "v1.0 failed",
    "ERROR",
  ];
  const fine = [
    "enabled failsafe",
    "fail-safe FAIL-SAFE",
    "12 passed, 0 failed",
    "no errors",
    "0 errors, 0 failures",
    "failed: 0",
    "errors=0",
    "zero exceptions",
    "terror struck",
    "fail",
    "errors.ts",
    "unfailing",
  ];
  for (const line of failures) assert(reports(line), line);
  for (const line of fine) assert(!reports(line), line);
});
