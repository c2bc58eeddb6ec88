// Processes of this machine as it reports them.
import { assert } from "@std/assert";
import { LocalMachine } from "../../src/machines/local.ts";
import type { Probe } from "../../src/process/probe.ts";
import { createProbe } from "../../src/process/create_probe.ts";
import { openSystemLibc } from "../process/system_libc.ts";

const NIGHT_MS = 8 * 3600_000;
const CLOCK_BOOTTIME = 7;

Deno.test({
  name:
    "the age of a process that began after the machine slept is the time since, not a night before it was born",
  ignore: Deno.build.os !== "linux",
  fn() {
    const libc = openSystemLibc();
    const slept = { ...libc, clock: (id: number) => libc.clock(id) + (id === CLOCK_BOOTTIME ? NIGHT_MS : 0) };
    const startTime = (pid: number) => `${Number(createProbe(libc).startTime(pid)) + NIGHT_MS / 10}`;
    const options = { bin: "tmux", env: {}, socketFolder: "/nowhere" };
    const machine = new LocalMachine({ ...options, libc: slept, probe: { startTime } as Probe });
    try {
      const age = Number(machine.inspector.ageMs(Deno.pid));
      // The kernel counts in ticks of 10 ms.
      assert(age > -20 && age < NIGHT_MS / 2, `${age} ms`);
    } finally {
      libc.unload();
    }
  },
});
