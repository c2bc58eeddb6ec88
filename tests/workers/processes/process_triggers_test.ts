// Triggers on programs that end where the kernel does not report how.
import { assertEquals } from "@std/assert";
import type { PaneInspection } from "../../../src/process/probe.ts";
import { ProcessTriggers, type ProcessTriggersOptions } from "../../../workers/processes/process_triggers.ts";

const PANE = { paneId: "%1", panePid: 10, tty: "/dev/pts/1" };
const FRONT = { panePid: 10, isAlive: true, waitingForInput: false, inputKind: "none", evidence: "" };
const PROGRAM = { ...FRONT, foregroundPid: 20, foregroundGroup: 20, foregroundCmd: "make" };
const AT_PROMPT = {
  ...FRONT,
  ...{ foregroundPid: 10, foregroundGroup: 10, foregroundCmd: "bash", shell: "bash" },
  ...{ waitingForInput: true, inputKind: "raw", isPrompt: true, edited: true },
};

/** Events of the looks at these times (ms) at a program that ends after the first look, and leaves its shell in front. */
function eventsAt(times: readonly number[], ...kinds: ("exit" | "shell")[]): (string | undefined)[] {
  let inspection = PROGRAM as Partial<PaneInspection>;
  const hasEnded = (pid: number) => pid === 20 && inspection !== PROGRAM;
  const probe = {
    inspect: () => inspection,
    foregroundGroup: () => inspection.foregroundGroup,
    groupAlive: () => true,
    watchExit: (pid: number) => ({ poll: () => hasEnded(pid) ? {} : undefined, close() {} }),
  };
  const triggers = kinds.map((kind) => ({ kind, event: kind }));
  const options = { pane: PANE, probe, poller: {}, spec: { triggers }, ended() {} };
  const processes = new ProcessTriggers(options as unknown as ProcessTriggersOptions);
  const first = processes.check(0)?.trigger.event;
  inspection = AT_PROMPT as Partial<PaneInspection>;
  return [first, ...times.map((now) => processes.check(now)?.trigger.event)];
}

Deno.test("of an end and its shell, the one that the caller names first fires, though the code is unknown", () => {
  assertEquals(eventsAt([10, 200], "exit", "shell"), [undefined, undefined, "exit"]);
  assertEquals(eventsAt([10, 200], "shell", "exit"), [undefined, "shell", "shell"]);
});
