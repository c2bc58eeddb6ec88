// Kernel settings that limit what can be known, and the change that would lift each.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { judgeRights, type Rights } from "../../../src/cli/checks/rights.ts";

const CASES: [what: string, rights: Partial<Rights>, verdict: string, says: string, fix?: string][] = [
  ["an ordinary user", {}, "works", "other users"],
  ["who may trace all, whatever else is set", { tracesAll: true, scope: 3, hidden: "2" }, "works", "every"],
  ["Yama as Debian and Ubuntu set it", { scope: 1 }, "partly", "ptrace_scope is 1", "ptrace_scope=0"],
  ["a hidden /proc", { hidden: "invisible" }, "partly", "hidepid=invisible", "remount"],
  ["a /proc mounted open in so many words", { hidden: "0" }, "works", "other users"],
];

for (const [what, rights, verdict, says, fix] of CASES) {
  Deno.test(`rights of ${what}`, () => {
    const finding = judgeRights({ tracesAll: false, scope: 0, hidden: "", ...rights });
    assertEquals(finding.verdict, verdict);
    assertStringIncludes(finding.says, says);
    assertStringIncludes(finding.fix ?? "", fix ?? "");
    assertEquals(finding.fix === undefined, fix === undefined);
  });
}
