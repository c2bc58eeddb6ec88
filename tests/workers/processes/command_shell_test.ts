// The shell that took a command, where a program of its own is in front.
import { assertEquals } from "@std/assert";
import type { PaneInspection, Probe } from "../../../src/process/probe.ts";
import { CommandShell } from "../../../workers/processes/command_shell.ts";

const FISH = 10;
const READER = 20;
const JOB = 30;
const SSH = 40;

/** A probe of fish, in which the command has stopped. */
function stoppedInFish(): Probe {
  return {
    stoppedJobs: (shellPid: number) => shellPid === FISH ? [{ pid: JOB, group: JOB }] : [],
    shellName: (pid: number) => pid === FISH ? "fish" : undefined,
  } as Partial<Probe> as Probe;
}

function inFront(foregroundPid: number): PaneInspection {
  return { foregroundPid, ...(foregroundPid === FISH && { shell: "fish" }) } as PaneInspection;
}

Deno.test("a shell that no look before its command saw in front is known at the end", () => {
  const shell = new CommandShell(stoppedInFish(), undefined);
  shell.note(inFront(READER));
  shell.noteForeground(JOB);
  assertEquals(shell.done(0, () => inFront(FISH)), JOB);
  assertEquals(shell.known, { pid: FISH, seen: true });
});

Deno.test("a program that leads elsewhere stays the shell of its command", () => {
  const shell = new CommandShell(stoppedInFish(), undefined);
  shell.note(inFront(SSH));
  assertEquals(shell.done(0, () => inFront(SSH)), undefined);
  assertEquals(shell.known, { pid: SSH, seen: false });
});

Deno.test("a shell that waits may be done once output was lost", () => {
  const shell = new CommandShell(stoppedInFish(), FISH);
  assertEquals(shell.mayBeDone(inFront(FISH)), false);
  shell.gap();
  assertEquals([FISH, SSH].map((pid) => shell.mayBeDone(inFront(pid))), [true, false]);
  assertEquals(shell.mayBeDone({ ...inFront(FISH), isPrompt: false }), false);
});
