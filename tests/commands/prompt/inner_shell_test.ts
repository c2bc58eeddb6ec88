// The shell that a running command has begun, from what is seen of the pane inspection by inspection.
import { assertEquals } from "@std/assert";
import type { PaneInspection } from "../../../src/process/probe.ts";
import type { ProcessInspector } from "../../../src/process/process_inspector.ts";
import { findInnerShell, isShell } from "../../../src/commands/prompt/inner_shell.ts";
import type { TrackedCommand } from "../../../src/commands/tracked_command.ts";

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

/** Finds the shell when the pane is inspected; once `end` is the next inspection, the command has ended. */
async function find(inspections: (PaneInspection | "end")[], named?: string): Promise<string | undefined> {
  const outer = { begun: true, running: true, shellPid: SHELL, command: "bash" };
  const inspector = {
    inspect: () => {
      const next = inspections.shift()!;
      if (next !== "end") return Promise.resolve(next);
      outer.running = false;
      return Promise.resolve(PROMPT);
    },
  } as unknown as ProcessInspector;
  const pane = { panePid: SHELL, tty: "/dev/null" };
  const promptBy = performance.now() + 5000;
  return await findInnerShell({ inspector, pane, outer: outer as TrackedCommand, promptBy, named });
}

Deno.test("a program of the prompt inside that has just ended is no sign that the shell outside is in front", async () => {
  assertEquals(await find([inspection(PROGRAM, PROGRAM), inspection(SHELL, PROGRAM), PROMPT]), "bash");
});

Deno.test("a command whose own shell is in front is given time to end, or to begin a shell", async () => {
  const front = inspection(SHELL, SHELL, { shell: "bash" });
  assertEquals(await find([front, front, "end"]), undefined);
  assertEquals(await find([front, front, PROMPT]), "bash");
});

Deno.test("a command whose own shell asks, or can't be seen, is not waited for", async () => {
  const asks = {
    shell: "bash",
    waitingForInput: true,
    edited: false,
    isPrompt: false,
    sleep: { program: "bash", wantedBytes: 1 },
  };
  assertEquals(await find([inspection(SHELL, SHELL, asks), PROMPT]), undefined);
  assertEquals(await find([inspection(SHELL, SHELL), PROMPT]), undefined);
});

Deno.test("a program that takes keys leads to a shell by its own name, or by the caller's", async () => {
  const keys = (foregroundCmd: string) =>
    inspection(PROGRAM, PROGRAM, { foregroundCmd, waitingForInput: true, inputKind: "raw" });
  assertEquals(await find([keys("ssh"), "end"]), "bash");
  assertEquals(await find([keys("ssh"), "end"], "fish"), "fish");
  assertEquals(await find([keys("connect.sh"), "end"]), undefined);
  assertEquals(await find([keys("connect.sh"), "end"], "fish"), "fish");
  const asks: Partial<PaneInspection> = {
    waitingForInput: true,
    inputKind: "password",
    foregroundCmd: "ssh",
  };
  assertEquals(await find([inspection(PROGRAM, PROGRAM, asks), "end"], "bash"), undefined);
});

Deno.test("a shell is likely behind a client that reads itself, and not behind the editor that it started", () => {
  const kubectl = (evidence: string) =>
    isShell(
      inspection(PROGRAM, PROGRAM, { foregroundCmd: "kubectl", inputKind: "raw", evidence }),
      undefined,
    );
  assertEquals(kubectl("read(0) on /dev/pts/1"), true);
  assertEquals(kubectl("select on /dev/pts/1 by vim (40)"), false);
});
