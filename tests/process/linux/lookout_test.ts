// Looking again and again: what was seen holds until something in front of the pane has run.
import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { PaneLookout } from "../../../src/process/linux/lookout.ts";
import type { Libc } from "../../../src/process/libc.ts";
import type { Lookout, PaneLook } from "../../../src/process/look.ts";
import { createProbe } from "../../../src/process/probe.ts";
import { Stillness } from "../../../src/process/linux/stillness.ts";
import { type Pane, PaneServer, settle } from "../panes.ts";
import { openSystemLibc } from "../system_libc.ts";

const linux = { ignore: Deno.build.os !== "linux" };

function openedLibc(): Libc & Disposable {
  const libc = openSystemLibc();
  return { ...libc, [Symbol.dispose]: () => libc.unload() };
}

/** What a lookout returns while it asks nothing new: the same object each time. */
async function heldLook(lookout: Lookout): Promise<PaneLook> {
  let before: PaneLook | undefined;
  let same = false;
  const look = await settle(() => lookout.look(), (seen) => {
    same = seen === before;
    before = seen;
    return same;
  });
  assert(same, `It asks again and again: ${look.evidence}`);
  return look;
}

/** Waits at a pipe until told to go on, then reads its terminal. */
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
    name: `a lookout sees ${name} begin to wait for input, and until then returns what it saw`,
    ...linux,
    async fn() {
      using libc = openedLibc();
      await using server = await PaneServer.start();
      const { pane, go } = await heldPane(server, shell);
      const lookout = createProbe(libc).lookout(pane);
      try {
        const before = await heldLook(lookout);
        assertEquals(before.waitingForInput, false, before.evidence);
        await go();
        const look = await settle(() => lookout.look(), (seen) => seen.waitingForInput);
        assertEquals([look.waitingForInput, look.inputKind], [true, "line"], look.evidence);
      } finally {
        lookout.close();
      }
    },
  });
}

Deno.test({
  name: "a lookout sees the end of a program that slept",
  ...linux,
  async fn() {
    using libc = openedLibc();
    await using server = await PaneServer.start();
    const pane = await server.open(["sleep", "600"]);
    const lookout = createProbe(libc).lookout(pane);
    assertEquals((await heldLook(lookout)).foregroundCmd, "sleep");
    await server.run(["kill-pane", "-t", pane.id]);
    const look = await settle(() => lookout.look(), (seen) => !seen.isAlive);
    assertEquals(look.isAlive, false);
    lookout.close();
  },
});

Deno.test({
  name: "a lookout asks again where it can't tell who had a part in a look",
  ...linux,
  fn() {
    using libc = openedLibc();
    let asked = 0;
    const look = { evidence: "hidden" } as PaneLook;
    const lookout = new PaneLookout(libc, () => (asked++, { look }));
    for (let i = 0; i < 3; i++) assertStrictEquals(lookout.look(), look);
    assertEquals([asked, lookout.awaited()], [3, undefined]);
    lookout.close();
  },
});

Deno.test({
  name: "a lookout asks nothing while a process sleeps, and asks again once it has run",
  ...linux,
  async fn() {
    using libc = openedLibc();
    const program = new Deno.Command("cat", { stdin: "piped", stdout: "piped" }).spawn();
    const [input, output] = [program.stdin.getWriter(), program.stdout.getReader()];
    let asked = 0;
    const lookout = new PaneLookout(libc, () => {
      asked++;
      return { look: { evidence: "asleep" } as PaneLook, processes: [program.pid] };
    });
    try {
      for (const word of ["one", "two"]) {
        await input.write(new TextEncoder().encode(word));
        await output.read();
        const before = asked;
        lookout.look();
        assertEquals(asked, before + 1, `after ${word}`);
        let last: number;
        do {
          last = asked;
          await new Promise((resolve) => setTimeout(resolve, 5));
          lookout.look();
        } while (asked !== last);
        assertEquals(lookout.awaited()?.map(({ pid }) => pid), [program.pid]);
      }
    } finally {
      lookout.close();
      await input.close();
      await output.cancel();
      await program.status;
    }
  },
});

Deno.test({
  name: "stillness: processes that are gone, unknown or too many are never still",
  ...linux,
  fn() {
    using libc = openedLibc();
    const stillness = new Stillness(libc);
    const many = Array.from({ length: 33 }, () => Deno.pid);
    for (const ids of [[], [999_999_999], [Deno.pid, 999_999_999], many]) {
      stillness.watch(ids);
      assertEquals(stillness.check(), false, ids.join());
    }
    stillness.watch(many);
    assertEquals(stillness.covers(many), false);
  },
});

Deno.test({
  name: "stillness: nothing is still where the kernel counts CPU time by ticks",
  ...linux,
  fn() {
    using libc = openedLibc();
    const stillness = new Stillness({ ...libc, clock: () => 40 });
    stillness.watch([Deno.pid]);
    assertEquals([stillness.check(), stillness.check()], [false, false]);
  },
});

Deno.test({
  name: "a lookout can't say who must run where the kernel counts CPU time by ticks",
  ...linux,
  fn() {
    using libc = openedLibc();
    const look = { evidence: "asleep" } as PaneLook;
    const lookout = new PaneLookout({ ...libc, clock: () => 40 }, () => ({ look, processes: [Deno.pid] }));
    for (let i = 0; i < 3; i++) lookout.look();
    assertEquals(lookout.awaited(), undefined);
    lookout.close();
  },
});
