import { assertEquals, assertThrows } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { joinCommands } from "../../src/tmux_exec/argv.ts";

Deno.test("a lone semicolon separates commands", () => {
  assertEquals(joinCommands([["list-panes", "-a"], ["list-clients"]]), [
    "list-panes",
    "-a",
    ";",
    "list-clients",
  ]);
});

Deno.test("a trailing semicolon of an argument stays text", () => {
  assertEquals(joinCommands([["send-keys", "-l", "a;", ";", "a\\;", ";a"]]), [
    "send-keys",
    "-l",
    "a\\;",
    "\\;",
    "a\\\\;",
    ";a",
  ]);
});

Deno.test("arguments past what tmux takes are refused before tmux sees them", () => {
  const fits = "x".repeat(16364 - "send-keys".length - 2);
  assertEquals(joinCommands([["send-keys", fits]]).length, 2);
  assertEquals(
    assertThrows(() => joinCommands([["send-keys", `${fits}x`]]), AppError).code,
    "invalid-argument",
  );
  const accented = "é".repeat(8200);
  assertEquals(
    assertThrows(() => joinCommands([["send-keys", accented]]), AppError).code,
    "invalid-argument",
  );
});

Deno.test("a NUL in an argument is refused", () => {
  assertEquals(assertThrows(() => joinCommands([["send-keys", "a\0b"]]), AppError).code, "invalid-argument");
});
