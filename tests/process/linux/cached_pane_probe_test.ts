// Repeated inspections: a result is valid until a process in the pane's foreground has run.
import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { CachedPaneProbe } from "../../../src/process/linux/cached_pane_probe.ts";
import type { Libc } from "../../../src/ffi/libc.ts";
import { openPaneProbe, type PaneInspection, type PaneProbe } from "../../../src/process/probe.ts";
import { createProbe } from "../../../src/process/create_probe.ts";
import { CpuTimeTracker } from "../../../src/process/linux/cpu_time_tracker.ts";
import { type Pane, PaneServer, settle } from "../panes.ts";
import { openSystemLibc } from "../system_libc.ts";

const linux = { ignore: Deno.build.os !== "linux" };

function openedLibc(): Libc & Disposable {
  const libc = openSystemLibc();
  return { ...libc, [Symbol.dispose]: () => libc.unload() };
}

/** A pane probe returns the same object each time while it asks nothing new. */
async function heldLook(paneProbe: PaneProbe): Promise<PaneInspection> {
  let before: PaneInspection | undefined;
  let same = false;
  const inspection = await settle(() => paneProbe.inspect(), (seen) => {
    same = seen === before;
    before = seen;
    return same;
  });
  assert(same, `It asks again and again: ${inspection.evidence}`);
  return inspection;
}

/** Waits at a pipe until told to continue, then reads its terminal. */
async function heldPane(server: PaneServer, shell: string[]): Promise<{ pane: Pane; go(): Promise<void> }> {
  const pipe = `${server.home}/${crypto.randomUUID()}`;
  await new Deno.Command("mkfifo", { args: [pipe] }).output();
  const pane = await server.open([...shell, `read a <${pipe}; read b`]);
  return { pane, go: () => Deno.writeTextFile(pipe, "go\n") };
}

const SHELLS: Record<string, string[]> = {
  "a shell": ["sh", "-c"],
  "a job of a shell": ["bash", "--norc", "-ic", 'sh -c "$0"; :'],
  "a program with threads": [
    "python3",
    "-c",
    "import sys,threading,subprocess\n" +
    "threading.Thread(target=threading.Event().wait,daemon=True).start()\n" +
    "subprocess.call(['sh','-c',sys.argv[1]])",
  ],
};

for (const [name, shell] of Object.entries(SHELLS)) {
  Deno.test({
    name: `a cached probe sees ${name} begin to wait for input, and until then returns what it saw`,
    ...linux,
    async fn() {
      using libc = openedLibc();
      await using server = await PaneServer.start();
      const { pane, go } = await heldPane(server, shell);
      const paneProbe = openPaneProbe(createProbe(libc), pane);
      try {
        const before = await heldLook(paneProbe);
        assertEquals(before.waitingForInput, false, before.evidence);
        await go();
        const inspection = await settle(() => paneProbe.inspect(), (seen) => seen.waitingForInput);
        assertEquals([inspection.waitingForInput, inspection.inputKind], [true, "line"], inspection.evidence);
      } finally {
        paneProbe.close();
      }
    },
  });
}

Deno.test({
  name: "a cached probe sees the end of a program that slept",
  ...linux,
  async fn() {
    using libc = openedLibc();
    await using server = await PaneServer.start();
    const pane = await server.open(["sleep", "600"]);
    const paneProbe = openPaneProbe(createProbe(libc), pane);
    assertEquals((await heldLook(paneProbe)).foregroundCmd, "sleep");
    await server.run(["kill-pane", "-t", pane.id]);
    const inspection = await settle(() => paneProbe.inspect(), (seen) => !seen.isAlive);
    assertEquals(inspection.isAlive, false);
    paneProbe.close();
  },
});

Deno.test({
  name: "a cached probe asks again where it can't tell who had a part in an inspection",
  ...linux,
  fn() {
    using libc = openedLibc();
    let asked = 0;
    const inspection = { evidence: "hidden" } as PaneInspection;
    const paneProbe = new CachedPaneProbe(libc, () => (asked++, { inspection: inspection }));
    for (let i = 0; i < 3; i++) assertStrictEquals(paneProbe.inspect(), inspection);
    assertEquals([asked, paneProbe.awaited()], [3, undefined]);
    paneProbe.close();
  },
});

Deno.test({
  name: "a cached probe asks nothing while a process sleeps, and asks again once it has run",
  ...linux,
  async fn() {
    using libc = openedLibc();
    const program = new Deno.Command("cat", { stdin: "piped", stdout: "piped" }).spawn();
    const [input, output] = [program.stdin.getWriter(), program.stdout.getReader()];
    let asked = 0;
    const paneProbe = new CachedPaneProbe(libc, () => {
      asked++;
      return { inspection: { evidence: "asleep" } as PaneInspection, processes: [program.pid] };
    });
    try {
      for (const word of ["one", "two"]) {
        await input.write(new TextEncoder().encode(word));
        await output.read();
        const before = asked;
        paneProbe.inspect();
        assertEquals(asked, before + 1, `after ${word}`);
        let last: number;
        do {
          last = asked;
          await new Promise((resolve) => setTimeout(resolve, 5));
          paneProbe.inspect();
        } while (asked !== last);
        assertEquals(paneProbe.awaited()?.map(({ pid }) => pid), [program.pid]);
      }
    } finally {
      paneProbe.close();
      await input.close();
      await output.cancel();
      await program.status;
    }
  },
});

Deno.test({
  name: "CPU times: processes that are gone, unknown or too many are never still",
  ...linux,
  fn() {
    using libc = openedLibc();
    const cpuTimes = new CpuTimeTracker(libc);
    const many = Array.from({ length: 33 }, () => Deno.pid);
    for (const ids of [[], [999_999_999], [Deno.pid, 999_999_999], many]) {
      cpuTimes.watch(ids);
      assertEquals(cpuTimes.check(), false, ids.join());
    }
    cpuTimes.watch(many);
    assertEquals(cpuTimes.covers(many), false);
  },
});

Deno.test({
  name: "CPU times: nothing is still where the kernel counts CPU time by ticks",
  ...linux,
  fn() {
    using libc = openedLibc();
    const cpuTimes = new CpuTimeTracker({ ...libc, clock: () => 40 });
    cpuTimes.watch([Deno.pid]);
    assertEquals([cpuTimes.check(), cpuTimes.check()], [false, false]);
  },
});

Deno.test({
  name: "a cached probe can't say who must run where the kernel counts CPU time by ticks",
  ...linux,
  fn() {
    using libc = openedLibc();
    const inspection = { evidence: "asleep" } as PaneInspection;
    const paneProbe = new CachedPaneProbe(
      { ...libc, clock: () => 40 },
      () => ({ inspection: inspection, processes: [Deno.pid] }),
    );
    for (let i = 0; i < 3; i++) paneProbe.inspect();
    assertEquals(paneProbe.awaited(), undefined);
    paneProbe.close();
  },
});
