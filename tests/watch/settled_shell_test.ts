import { assertEquals } from "@std/assert";
import type { PaneInspection } from "../../src/process/probe.ts";
import { inspectSettledShell, untilBegun } from "../../src/watch/settled_shell.ts";
import type { ProcessInspector } from "../../src/process/process_inspector.ts";

const SHELL: PaneInspection = {
  ...{ panePid: 7, foregroundPid: 7, foregroundGroup: 7, foregroundCmd: "fish", shell: "fish" },
  ...{ isAlive: true, waitingForInput: false, inputKind: "none", evidence: "fish (7) running" },
};
const WAITING: PaneInspection = {
  ...SHELL,
  waitingForInput: true,
  inputKind: "raw",
  evidence: "poll on /dev/pts/4",
};
const { shell: _, ...PROGRAM } = SHELL;

/** Looks at what comes one after the other, the last of it again and again; returns the last seen and how often. */
async function seen(...inspections: PaneInspection[]): Promise<[string, number]> {
  let count = 0;
  const { evidence } = await inspectSettledShell(() =>
    inspections[Math.min(count++, inspections.length - 1)]!
  );
  return [evidence, count];
}

Deno.test("a shell that is about to read is inspected until it does", async () => {
  assertEquals(await seen(WAITING), [WAITING.evidence, 1]);
  assertEquals(await seen(SHELL, SHELL, WAITING), [WAITING.evidence, 3]);
  const unseen: PaneInspection = { ...WAITING, inputKind: "password", evidence: "read on /dev/pts/4" };
  assertEquals(await seen(unseen, SHELL, WAITING), [WAITING.evidence, 3]);
  // A question of the shell itself.
  assertEquals((await seen(unseen))[0], unseen.evidence);
  // The program it began meanwhile is no shell.
  assertEquals(await seen(SHELL, PROGRAM), [PROGRAM.evidence, 2]);
});

Deno.test("a busy shell, a program and a process that is gone are reported as such", async () => {
  assertEquals((await seen(SHELL))[0], SHELL.evidence);
  assertEquals(await seen(PROGRAM, WAITING), [PROGRAM.evidence, 1]);
  assertEquals(await seen({ ...SHELL, isAlive: false }, WAITING), [SHELL.evidence, 1]);
});

Deno.test("a new pane has begun once its process is no longer a copy of the tmux server", async () => {
  const images = ["tmux", "tmux", "sh"];
  const inspector = {
    image: (pid: number) => pid === 7 ? "tmux" : images.shift(),
  } as unknown as ProcessInspector;
  await untilBegun(inspector, { panePid: 8, serverKey: "7-1700000000" });
  assertEquals(images, []);
});
