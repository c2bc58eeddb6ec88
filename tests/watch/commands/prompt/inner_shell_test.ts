// The shell that a running command has begun, from what is seen of the pane inspection by inspection.
import { assertEquals } from "@std/assert";
import type { PaneInspection } from "../../../../src/process/probe.ts";
import type { ProcessInspector } from "../../../../src/process/process_inspector.ts";
import { findInnerShell } from "../../../../src/watch/commands/prompt/inner_shell.ts";
import type { CommandRecord } from "../../../../src/watch/commands/record.ts";

const SHELL = 10;
const INNER = 20;
const PROGRAM = 30;

function inspection(pid: number, group: number, more: Partial<PaneInspection> = {}): PaneInspection {
  return {
    ...{ panePid: SHELL, foregroundPid: pid, foregroundCmd: "bash", foregroundGroup: group, isAlive: true },
    ...{ waitingForInput: false, inputKind: "none" as PaneInspection["inputKind"], evidence: "" },
    ...more,
  };
}

const PROMPT = inspection(INNER, INNER, {
  waitingForInput: true,
  shell: "bash",
  inputKind: "raw",
  edited: true,
});

async function find(inspections: PaneInspection[]): Promise<string | undefined> {
  const inspector = {
    inspect: () => Promise.resolve(inspections.length > 1 ? inspections.shift()! : inspections[0]!),
  } as unknown as ProcessInspector;
  const outer = { begun: true, running: true, shellPid: SHELL, command: "bash" } as CommandRecord;
  const pane = { panePid: SHELL, tty: "/dev/null" };
  return await findInnerShell({ inspector, pane, outer, promptBy: performance.now() + 5000 });
}

Deno.test("a program of the prompt inside that has just ended is no sign that the shell outside is in front", async () => {
  assertEquals(await find([inspection(PROGRAM, PROGRAM), inspection(SHELL, PROGRAM), PROMPT]), "bash");
});

Deno.test("a command that its own shell runs has begun no shell", async () => {
  assertEquals(await find([inspection(SHELL, SHELL), PROMPT]), undefined);
});
