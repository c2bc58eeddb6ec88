// Limits of the command filter: long texts, and loops that set variables of shells.
import { assertEquals } from "@std/assert";
import * as t from "./fixture.ts";
import { call, outcome, policyWith } from "./fixture.ts";

const ALLOWLIST = { filterMode: "allowlist", filterPatterns: ["^ls( |$)"] } as const;
const DENYLIST = { filterMode: "denylist", filterPatterns: ["^rm( |$)"] } as const;

async function runs(command: string, settings: Parameters<typeof policyWith>[0]): Promise<boolean> {
  const said = await outcome(policyWith(settings), call(t.executeCommand, { paneId: "%1", command }, {}));
  if (said !== "allowed" && !said.startsWith("denied")) throw new Error(said);
  return said === "allowed";
}

Deno.test("a long text is read in proportion to its length, or refused", async () => {
  const refused = {
    allowlist: ["- ".repeat(65_000), "command ".repeat(16_000), "a;".repeat(65_000)],
    denylist: [
      `env ${"a ".repeat(65_000)}`,
      "eval ".repeat(300),
      `sudo sh -c '${"a;".repeat(60_000)}'`,
      `{ ${"sh;".repeat(3000)} } ${"<f ".repeat(3000)}`,
    ],
  };
  const everything = { ...ALLOWLIST, filterPatterns: ["."] };
  for (const text of refused.allowlist) assertEquals(await runs(text, everything), false, text.slice(0, 20));
  for (const text of refused.denylist) assertEquals(await runs(text, DENYLIST), false, text.slice(0, 20));
  for (
    const text of [
      `echo '${"[".repeat(131_000)}'`,
      `printf '%${"0".repeat(131_000)}'`,
      `sudo ls ${"-".repeat(131_000)}`,
    ]
  ) assertEquals(await runs(text, DENYLIST), true, text.slice(0, 20));
});

Deno.test("an allowlist wants a pattern for a loop or expansion that sets a name in capitals", async () => {
  const settings = { ...ALLOWLIST, filterPatterns: [...ALLOWLIST.filterPatterns, "^for ARCH in "] };
  for (const text of ["for WATCHFMT in x; do ls; done", "ls ${LISTPROMPT:=x}", "ls ${LISTPROMPT=x}"]) {
    assertEquals(await runs(text, settings), false, text);
    assertEquals(await runs(text, DENYLIST), true, text);
  }
  for (
    const text of ["for ARCH in x; do ls; done", "for _ in 1 2; do ls; done", "for F in *; do ls $F; done"]
  ) {
    assertEquals(await runs(text, settings), true, text);
  }
});
