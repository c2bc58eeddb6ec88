// Finding the job that a command has left stopped.
import { assertEquals } from "@std/assert";
import type { Probe } from "../../src/process/probe.ts";
import { StoppedJobs } from "../../workers/stopped_jobs.ts";

const SHELL = 10;

/** Returns a probe of one shell, which has these stopped jobs at each look. */
function probe(name: string | undefined, ...looks: number[][]): Probe {
  return {
    stoppedJobs: () => looks.shift() ?? [],
    shellName: (pid: number) => pid === SHELL ? name : undefined,
  } as Partial<Probe> as Probe;
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
    assertEquals([name, new StoppedJobs(probe(name, [], [7]), SHELL).find(status)], [name, job]);
  }
});

Deno.test("a job that was stopped before the command is not the command's", () => {
  assertEquals(new StoppedJobs(probe("mksh", [7], [7]), SHELL).find(0), undefined);
  assertEquals(new StoppedJobs(probe("mksh", [7], [7, 8]), SHELL).find(0), 8);
});
