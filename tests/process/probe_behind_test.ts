// A pane whose program passes the terminal on to another one.
import { assertEquals } from "@std/assert";
import { goneInspection, inspectionBehind, type PaneInspection } from "../../src/process/probe.ts";

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
