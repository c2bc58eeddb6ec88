// The audit record: what it says, and what it must not.
import { assert, assertEquals } from "@std/assert";
import { auditRecord } from "../../src/policy/audit.ts";
import { policyWith } from "./fixture.ts";

const CALL = {
  tool: "execute-command",
  args: {
    paneId: "%1",
    command: "echo hunter2",
    timeout: 5,
    environment: { TOKEN: "hunter2" },
    odd: ["hunter2"],
  },
  effect: "input",
  targets: [{ kind: "pane", id: "%1" }],
  socketPath: "/tmp/s",
  outcome: "ok",
  startedAt: 0,
  durationMs: 12.6,
} as const;

Deno.test("audit lines never written", async () => {
  const line = await auditRecord(CALL);
  const record = JSON.parse(line);
  assert(!line.includes("hunter2") && !line.includes("\n"), line);
  assertEquals(record.args.command.length, 12);
  assertEquals(record.args.command.sha256.length, 64);
  assertEquals(record.args.environment.TOKEN.length, 7);
  assertEquals([record.args.paneId, record.args.timeout, record.targets], ["%1", 5, ["pane:%1"]]);
  assertEquals([record.decision, record.outcome, record.time, record.durationMs], [
    "allowed",
    "ok",
    "1970-01-01T00:00:00.000Z",
    13,
  ]);
});

Deno.test("a denial says its setting and code", async () => {
  const record = JSON.parse(await auditRecord({ ...CALL, outcome: "denied", denied: "--safety readonly" }));
  assertEquals([record.decision, record.outcome, record.code, record.denied], [
    "denied",
    "error",
    "denied",
    "--safety readonly",
  ]);
});

Deno.test("the level says which calls are recorded", () => {
  const records = (auditLevel: "all" | "writes" | "denied"): boolean[] => {
    const policy = policyWith({ auditLevel });
    return [policy.records("read", false), policy.records("change", false), policy.records("read", true)];
  };
  assertEquals(records("all"), [true, true, true]);
  assertEquals(records("writes"), [false, true, true]);
  assertEquals(records("denied"), [false, false, true]);
});
