// A pane whose program passes the terminal on to another one.
import { assertEquals } from "@std/assert";
import { goneInspection, inspectionBehind, type PaneInspection, readerOf } from "../../src/process/probe.ts";

function inspection(fields: Partial<PaneInspection>): PaneInspection {
  return { ...goneInspection(7), isAlive: true, waitingForInput: true, ...fields };
}

Deno.test("a relay that reads whole lines shows the program behind it, but for expect's own questions", () => {
  const outer = inspection({ inputKind: "line" });
  const inner = inspection({ inputKind: "password" });
  assertEquals(inspectionBehind(outer, "socat", inner).inputKind, "password");
  assertEquals(inspectionBehind(outer, "expect", inner).inputKind, "line");
  assertEquals(inspectionBehind({ ...outer, inputKind: "raw" }, "expect", inner).inputKind, "password");
});

Deno.test("the program that reads is named whole, whatever its name looks like", () => {
  const name = "install (1).sh";
  for (
    const evidence of [
      `read(0) on /dev/pts/4 by ${name} (4711)`,
      `poll on /dev/pts/4 by ${name} (4711), in a thread of its own, beside a timer`,
      `read(0) on /dev/pts/4 by ${name} (4711) behind copy (2)`,
      `probably: ${name} (4711) asleep in wait_woken, holds /dev/pts/4`,
    ]
  ) {
    assertEquals(readerOf(inspection({ evidence })), { pid: 4711, name }, evidence);
  }
  const unseen = inspection({
    evidence: "probably: /dev/pts/4 is raw, su (8) asleep and not ours to see into",
  });
  assertEquals(readerOf({ ...unseen, foregroundCmd: "su" }), { pid: 7, name: "su" });
});
