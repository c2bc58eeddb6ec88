// Findings of doctor as text.
import { assertEquals } from "@std/assert";
import { formatFinding } from "../../../src/cli/checks/finding.ts";

Deno.test("a finding takes its line and one for its fix, and sends nothing that a terminal obeys", () => {
  const says = "starts \x1b]2;title\x07evil\nworks   forged\x9b1m\u202e";
  assertEquals(formatFinding({ name: "clients", verdict: "partly", says, fix: "Remove \x7f" }).split("\n"), [
    "partly  clients        starts \\u001b]2;title\\u0007evil\\u000aworks   forged\\u009b1m\\u202e",
    "                       fix: Remove \\u007f",
  ]);
});
