// Finding the job that a command has left stopped.
import { assertEquals } from "@std/assert";
import type { Probe } from "../../../src/process/probe.ts";
import { StoppedJobs } from "../../../workers/processes/stopped_jobs.ts";

const SHELL = 10;

/** Returns a probe of one shell, which has these stopped jobs at each look; their groups are ten times their pids. */
function probe(name: string | undefined, ...looks: number[][]): Probe {
  return {
    stoppedJobs: () => (looks.shift() ?? []).map((pid) => ({ pid, group: pid * 10 })),
    shellName: (pid: number) => pid === SHELL ? name : undefined,
  } as Partial<Probe> as Probe;
}

/** Returns the jobs of a command in whose time these groups were in front, and this was printed. */
function jobsOf(shell: Probe, { inFront = [], output = "" }: { inFront?: number[]; output?: string } = {}) {
  const jobs = new StoppedJobs(shell, SHELL);
  for (const group of inFront) jobs.noteForeground(group);
  jobs.printed(new TextEncoder().encode(output));
  return jobs;
}

Deno.test("a job that stopped during the command is found by the shell's status, or by the shell's name", () => {
  const found: [name: string | undefined, status: number, found: number | undefined][] = [
    ["bash", 148, 7],
    ["bash", 0, undefined],
    ["mksh", 0, 7],
    ["mksh", 1, undefined],
    ["ksh", 0, 7],
    ["fish", 1, 7],
    [undefined, 0, undefined],
  ];
  for (const [name, status, job] of found) {
    assertEquals([name, jobsOf(probe(name, [], [7]), { inFront: [70] }).find(status)], [name, job]);
  }
});

Deno.test("where the status shows nothing, a job counts that was in front or that Ctrl-Z has stopped", () => {
  assertEquals(jobsOf(probe("fish", [], [7, 8]), { inFront: [SHELL, 70] }).find(1), 7);
  assertEquals(jobsOf(probe("fish", [], [7]), { inFront: [SHELL, 90] }).find(1), undefined);
  assertEquals(jobsOf(probe("mksh", [], [7]), { output: "waits\r\n^Z" }).find(0), 7);
  assertEquals(jobsOf(probe("mksh", [], [7])).find(148), 7);
});

Deno.test("the programs in front matter to shells that report no stop status, and to ones that may become such", () => {
  for (const [name, needs] of [["fish", true], ["mksh", true], [undefined, true], ["bash", false]] as const) {
    assertEquals([name, new StoppedJobs(probe(name), SHELL).needsForeground], [name, needs]);
  }
  assertEquals(new StoppedJobs({} as Probe, SHELL).needsForeground, false);
});

Deno.test("a job that was stopped before the command is not the command's", () => {
  assertEquals(jobsOf(probe("mksh", [7], [7]), { inFront: [70] }).find(0), undefined);
  assertEquals(jobsOf(probe("mksh", [7], [7, 8]), { inFront: [80] }).find(0), 8);
});
