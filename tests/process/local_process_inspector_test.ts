// Facts about processes of this machine whose parents do not collect them.
import { assertEquals } from "@std/assert";
import { createProbe } from "../../src/process/create_probe.ts";
import { LocalProcessInspector } from "../../src/process/local_process_inspector.ts";
import { until } from "../support/until.ts";
import { openSystemLibc } from "./system_libc.ts";

Deno.test({
  name: "how a process ended is known before its parent collects it",
  // A process's children are listed only there; elsewhere, the test would have to be their parent.
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const libc = openSystemLibc();
    const inspector = new LocalProcessInspector(createProbe(libc), libc);
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
      assertEquals(inspector.ending(pid), ending);
      assertEquals(inspector.ending(parent.pid), undefined);
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
    const probe = createProbe(libc);
    const startTime = (pid: number) => {
      late += 50;
      return probe.startTime(pid);
    };
    const inspector = new LocalProcessInspector({ ...probe, startTime }, busy);
    const began = performance.now();
    // A session of its own, as a pane's: programs of other tests would count as its own.
    const args = ["sh", "-c", "sleep 60 & exec sleep 60"];
    const parent = new Deno.Command("setsid", { args, stdin: "null" }).spawn();
    const pane = { panePid: parent.pid, tty: "" };
    let children: readonly number[] = [];
    try {
      await until(() => {
        late = 0;
        children = inspector.youngerThan(pane, performance.now() - began) ?? [];
        return children.length > 0;
      });
    } finally {
      for (const pid of [parent.pid, ...children]) Deno.kill(pid, "SIGKILL");
      await parent.status;
      libc.unload();
    }
  },
});
