// Endings and ages of the processes of this machine.
import { assert, assertEquals } from "@std/assert";
import { LinuxProbe } from "../../../src/process/linux/probe.ts";
import { until } from "../../support/until.ts";
import { openSystemLibc } from "../system_libc.ts";

const NIGHT_MS = 8 * 3600_000;
const CLOCK_BOOTTIME = 7;

Deno.test({
  name:
    "the age of a process that began after the machine slept is the time since, not a night before it was born",
  ignore: Deno.build.os !== "linux",
  fn() {
    const libc = openSystemLibc();
    const slept = { ...libc, clock: (id: number) => libc.clock(id) + (id === CLOCK_BOOTTIME ? NIGHT_MS : 0) };
    class LateProbe extends LinuxProbe {
      override startTime(pid: number): string {
        return `${Number(super.startTime(pid)) + NIGHT_MS / 10}`;
      }
    }
    try {
      const age = Number(new LateProbe(slept).ageMs(Deno.pid));
      // The kernel counts in ticks of 10 ms.
      assert(age > -20 && age < NIGHT_MS / 2, `${age} ms`);
    } finally {
      libc.unload();
    }
  },
});

Deno.test({
  name: "how a process ended is known before its parent collects it",
  // A process's children are listed only there; elsewhere, the test would have to be their parent.
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const libc = openSystemLibc();
    const probe = new LinuxProbe(libc);
    for (
      const [end, ending] of [["exit 9", { exitCode: 9 }], ["kill -TERM $$", {
        exitSignal: "SIGTERM",
      }]] as const
    ) {
      const script = `sh -c 'read x; ${end}' & exec sleep 60`;
      const parent = new Deno.Command("sh", { args: ["-c", script], stdin: "null" }).spawn();
      const stat = async (pid: number) => await Deno.readTextFile(`/proc/${pid}/stat`);
      let pid = 0;
      await until(async () => {
        pid = Number(await Deno.readTextFile(`/proc/${parent.pid}/task/${parent.pid}/children`));
        return pid > 0 && (await stat(parent.pid)).includes("(sleep)") && (await stat(pid)).includes(") Z ");
      });
      assertEquals(probe.ending(pid), ending);
      assertEquals(probe.ending(parent.pid), undefined);
      parent.kill("SIGKILL");
      await parent.status;
    }
    libc.unload();
  },
});

Deno.test({
  name: "a program that began just now is found however long the search for it takes",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const libc = openSystemLibc();
    let late = 0;
    const busy = { ...libc, clock: (id: number) => libc.clock(id) + late };
    class SlowProbe extends LinuxProbe {
      override startTime(pid: number): string | undefined {
        late += 50;
        return super.startTime(pid);
      }
    }
    const probe = new SlowProbe(busy);
    const began = performance.now();
    // A session of its own, as a pane's: programs of other tests would count as its own.
    const args = ["sh", "-c", "sleep 60 & exec sleep 60"];
    const parent = new Deno.Command("setsid", { args, stdin: "null" }).spawn();
    const pane = { panePid: parent.pid, tty: "" };
    let children: readonly number[] = [];
    try {
      await until(() => {
        late = 0;
        children = probe.youngerThan(pane, performance.now() - began);
        return children.length > 0;
      });
    } finally {
      for (const pid of [parent.pid, ...children]) Deno.kill(pid, "SIGKILL");
      await parent.status;
      libc.unload();
    }
  },
});
