// Real programs in real panes: what is said of each must be true.

import { assertEquals, assertMatch } from "@std/assert";
import { openSystemLibc } from "./system_libc.ts";
import { type PaneInspection, type Probe, readerOf } from "../../src/process/probe.ts";
import { createProbe } from "../../src/process/create_probe.ts";
import { LinuxProbe } from "../../src/process/linux/probe.ts";
import type { FileIdentity } from "../../src/process/linux/proc.ts";
import { ProcFs } from "../../src/process/linux/procfs.ts";
import { asUser, NOBODY, type Pane, PaneServer, settle } from "./panes.ts";
import type { RemoteProcessInspector } from "../../src/process/remote/process_inspector.ts";
import { remoteSight } from "./remote_sight.ts";
import { sideBySide } from "../support/side_by_side.ts";
import { sized } from "../support/sized.ts";
import { type Program, py } from "./program.ts";
import { PROGRAMS } from "./programs.ts";

const BATCH = 8;

const users = Deno.uid() === 0 ? [0, NOBODY] : [Deno.uid() ?? 0];

const AT_WORK = "a thread at work";

function matches({ inputKind, evidence, beside }: PaneInspection, program: Program): boolean {
  // A program that has just begun may have a thread at work for a moment.
  const isSettled = beside?.what !== AT_WORK || program.evidence.source.includes(AT_WORK);
  return isSettled && inputKind === program.kind && program.evidence.test(evidence);
}

async function start(server: PaneServer, probe: Probe, program: Program): Promise<Pane> {
  const { argv, typed, then } = program;
  const pane = await server.open(argv ?? ["bash", "--norc", "--noprofile"]);
  if (typed) {
    await settle(() => probe.inspect(pane), (inspection) => inspection.waitingForInput);
    await server.type(pane, typed);
  }
  if (then) {
    const isThere = ({ foregroundPid }: PaneInspection) =>
      argv !== undefined || foregroundPid !== pane.panePid;
    await settle(
      () => probe.inspect(pane),
      (inspection) => isThere(inspection) && inspection.waitingForInput,
    );
    await server.press(pane, then);
  }
  return pane;
}

/** A process that is no child of ours under Yama's ptrace_scope=1: no system call, no memory. */
class GuardedProcFs extends ProcFs {
  override blockedCall(): "hidden" {
    return "hidden";
  }
  override memory(): undefined {
    return undefined;
  }
}

async function judge(
  inspect: () => PaneInspection,
  program: Program,
  screen: () => Promise<string>,
): Promise<PaneInspection> {
  const found = await settle(inspect, (seen) => matches(seen, program));
  const shown = matches(found, program) ? "" : await screen();
  const told = [found.inputKind, found.waitingForInput];
  assertEquals(told, [program.kind, program.kind !== "none"], `${found.evidence}\n${shown}`);
  assertMatch(found.evidence, program.evidence);
  assertEquals(found.shell, program.shell);
  if (program.cmd) assertEquals(found.foregroundCmd, program.cmd);
  return found;
}

/** It sees what is seen here; a program that just woke up is inspected again. */
async function judgeRemote(
  inspector: RemoteProcessInspector,
  pane: Pane,
  inspection: PaneInspection,
): Promise<void> {
  const reader = readerOf(inspection).name;
  const isSame = (seen: PaneInspection) =>
    seen.inputKind === inspection.inputKind && seen.beside?.what === inspection.beside?.what &&
    readerOf(seen).name === reader;
  let seen = await inspector.inspect(pane);
  for (let tries = 0; tries < 20 && !isSame(seen); tries++) seen = await inspector.inspect(pane);
  // A shell's sleep is read here only if needed, and what a program at work sleeps for changes.
  const facts = (
    { evidence: _, sleep: __, blocksChildren: ___, mayWait: ____, beside, ...rest }: PaneInspection,
  ) => ({
    ...rest,
    beside: beside?.what,
  });
  assertEquals(readerOf(seen).name, reader, seen.evidence);
  assertEquals(facts(seen), facts(inspection), `far: ${seen.evidence}, here: ${inspection.evidence}`);
}

/** Facts that two inspections in a row share: a thread beside the reader goes on working. */
function lasting({ beside, mayWait: _, ...inspection }: PaneInspection): Record<string, unknown> {
  return { ...inspection, beside: workOf(beside), evidence: "" };
}

/** Timers come and go, and only the call shows them; a loop's other events are only in its memory. */
function workOf(beside: PaneInspection["beside"]): string | undefined {
  return ["a timer", "other events"].includes(beside?.what ?? "") ? undefined : beside?.what;
}

/**
 * One program of each kind of evidence. Another user's rights, and a host's shell, decide what can be read, and not of
 * which program; that shell takes 10 of 23 s of CPU if it inspects all.
 */
function onePerEvidence(programs: readonly Program[]): readonly Program[] {
  const keyOf = ({ kind, evidence, guarded, user }: Program) => `${kind} ${evidence} ${guarded} ${user}`;
  return [...new Map(programs.toReversed().map((program) => [keyOf(program), program])).values()].reverse();
}

for (const uid of users) {
  const all = PROGRAMS.filter(({ user }) => user === undefined || (user === "root") === (uid === 0));
  const some = sized({ gate: onePerEvidence(all), soak: all });
  const programs = uid === Deno.uid() ? all : some;
  Deno.test({
    name: `the truth about ${programs.length} programs of user ${uid}`,
    ignore: Deno.build.os !== "linux",
    async fn(t) {
      const libc = openSystemLibc();
      const probe = createProbe(libc);
      const guarded = new LinuxProbe(libc, new GuardedProcFs(libc));
      await using server = await PaneServer.start(uid);
      await using remote = uid === Deno.uid() ? remoteSight() : undefined;
      await using guardedRemote = uid === Deno.uid() ? remoteSight({ guarded: true }) : undefined;
      for (let at = 0; at < programs.length; at += BATCH) {
        const batch = programs.slice(at, at + BATCH);
        const panes = await Promise.all(batch.map((program) => start(server, probe, program)));
        const steps = batch.map((program, index) => ({
          name: program.name,
          run: async () => {
            const pane = panes[index]!;
            const inspection = await judge(() => probe.inspect(pane), program, () => server.screen(pane));
            const far = some.includes(program) ? remote : undefined;
            if (far !== undefined) await judgeRemote(far.inspector, pane, inspection);
            const kind = program.guarded ?? program.kind;
            const isTrue = ({ inputKind, beside }: PaneInspection) =>
              inputKind === kind && (kind !== program.kind || workOf(beside) === workOf(inspection.beside));
            const seen = await settle(() => guarded.inspect(pane), isTrue);
            const { inputKind, evidence, beside } = seen;
            assertEquals(inputKind, kind, `guarded: ${evidence}`);
            if (kind === program.kind) assertEquals(workOf(beside), workOf(inspection.beside), evidence);
            const guardedFar = far === undefined || program.differsOnHost ? undefined : guardedRemote;
            if (guardedFar !== undefined) await judgeRemote(guardedFar.inspector, pane, seen);
            if (uid === Deno.uid()) return;
            // The owner sees what root sees, though not while a program draws.
            const same = JSON.stringify(lasting(inspection));
            const own = await settle(
              () => asUser(libc.path, uid, () => probe.inspect(pane)),
              (seen) => JSON.stringify(lasting(seen)) === same,
            );
            assertEquals(lasting(own), lasting(inspection), own.evidence);
          },
        }));
        await sideBySide(t, steps);
        await Promise.all(panes.map((pane) => server.close(pane)));
      }
      libc.unload();
    },
  });
}

/** Processes that hidepid=2 hides: nothing can be read of them. */
class HidingProcFs extends ProcFs {
  /** Not there yet while the base class is made. */
  readonly hidden: Set<number> | undefined = new Set();
  override text(path: string): string | undefined {
    return this.hidden?.has(Number.parseInt(path)) ? undefined : super.text(path);
  }
  override processes(): number[] {
    return super.processes().filter((pid) => !this.hidden?.has(pid));
  }
  override descriptors(pid: number): number[] {
    return this.hidden?.has(pid) ? [] : super.descriptors(pid);
  }
  override executable(pid: number): string | undefined {
    return this.hidden?.has(pid) ? undefined : super.executable(pid);
  }
}

Deno.test({
  name: "a foreground group that /proc hides is known by its terminal alone",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const libc = openSystemLibc();
    const proc = new HidingProcFs(libc);
    const probe = new LinuxProbe(libc, proc);
    await using server = await PaneServer.start();
    const pane = await server.open(["bash", "--norc", "--noprofile"]);
    await settle(() => probe.inspect(pane), (inspection) => inspection.waitingForInput);
    await server.type(pane, "bash -c 'read -s secret; sleep 500'");
    const asks = await settle(() => probe.inspect(pane), (inspection) => inspection.inputKind === "password");
    proc.hidden?.add(asks.foregroundGroup);
    const { inputKind, foregroundPid, foregroundCmd, shell, evidence } = probe.inspect(pane);
    assertEquals([inputKind, foregroundPid, foregroundCmd, shell], [
      "password",
      asks.foregroundPid,
      "?",
      undefined,
    ]);
    assertMatch(evidence, /^probably: .* canonical without echo/);
    await server.press(pane, "Enter");
    const sleeps = await settle(() => probe.inspect(pane), (inspection) => !inspection.waitingForInput);
    assertEquals([sleeps.inputKind, sleeps.foregroundPid], ["none", asks.foregroundPid]);
    libc.unload();
  },
});

Deno.test({
  name: "a pane whose own process /proc hides is alive, and known by its terminal alone",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const libc = openSystemLibc();
    const proc = new HidingProcFs(libc);
    const probe = new LinuxProbe(libc, proc);
    await using server = await PaneServer.start();
    const pane = await server.open(["bash", "-c", "read -s secret; exec sleep 500"]);
    await settle(() => probe.inspect(pane), (inspection) => inspection.inputKind === "password");
    proc.hidden?.add(pane.panePid);
    const { isAlive, inputKind, foregroundCmd, evidence } = probe.inspect(pane);
    assertEquals([isAlive, inputKind, foregroundCmd], [true, "password", "?"]);
    assertMatch(evidence, /^probably: .* canonical without echo/);
    await server.close(pane);
    await settle(() => probe.inspect(pane), (inspection) => !inspection.isAlive);
    libc.unload();
  },
});

/** A kernel without CONFIG_PROC_CHILDREN. */
class ChildlessProcFs extends ProcFs {
  override readonly listsChildren = false;
  override children(): number[] {
    return [];
  }
}

Deno.test({
  name: "where the kernel lists no children, the whole table finds the reader",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const libc = openSystemLibc();
    const probe = new LinuxProbe(libc, new ChildlessProcFs(libc));
    await using server = await PaneServer.start();
    const pane = await server.open(["sh", "-c", "cat; true"]);
    const inspection = await settle(() => probe.inspect(pane), (seen) => seen.waitingForInput);
    assertEquals([inspection.inputKind, inspection.foregroundPid], ["line", pane.panePid]);
    assertMatch(inspection.evidence, /by cat/);
    libc.unload();
  },
});

Deno.test({
  name: "a thread of Gradle's client reads for the daemon, not for itself",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const libc = openSystemLibc();
    const probe = createProbe(libc);
    await using server = await PaneServer.start();
    const pane = await server.open(py(
      "import ctypes, sys, threading",
      "def read():",
      " ctypes.CDLL(None).prctl(15, b'DisconnectableI', 0, 0, 0)",
      " sys.stdin.readline()",
      "threading.Thread(target=read).start()",
    ));
    await using remote = remoteSight();
    for (const inspect of [() => probe.inspect(pane), () => remote.inspector.inspect(pane)]) {
      const { beside, evidence } = await settle<PaneInspection>(inspect, (seen) => seen.waitingForInput);
      assertEquals(beside?.what, "a program on the far side", evidence);
    }
    libc.unload();
  },
});

/** Stops a relay once the terminal behind it is looked at: it sleeps no longer, as when output has just woken it. */
class RelayingProcFs extends ProcFs {
  relay: { pid: number; tty: string } | undefined;
  override identity(path: string): FileIdentity | undefined {
    if (this.relay && path.startsWith("/dev/pts/") && path !== this.relay.tty) {
      Deno.kill(this.relay.pid, "SIGSTOP");
    }
    return super.identity(path);
  }
}

Deno.test({
  name: "nothing waits while its output has yet to pass through `script`",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const libc = openSystemLibc();
    const proc = new RelayingProcFs(libc);
    const probe = new LinuxProbe(libc, proc);
    await using server = await PaneServer.start();
    const pane = await server.open(["sh", "-c", "script -q -c 'exec bash --norc' /dev/null; true"]);
    const isPrompt = ({ waitingForInput, shell }: PaneInspection) => waitingForInput && shell === "bash";
    // tmux would wake a stopped program that it has started itself.
    await settle(() => probe.inspect(pane), isPrompt);
    const [pid = 0] = proc.children(proc.stat(pane.panePid)!);
    proc.relay = { pid, tty: pane.tty };
    const { waitingForInput, isPrompt: atPrompt, evidence } = probe.inspect(pane);
    proc.relay = undefined;
    Deno.kill(pid, "SIGCONT");
    assertEquals([waitingForInput, atPrompt, evidence], [
      false,
      undefined,
      "output on its way behind script",
    ]);
    await settle(() => probe.inspect(pane), isPrompt);
    libc.unload();
  },
});

/** As in a chroot: numbers of terminals begin at 0 again. */
const OWN_TERMINALS =
  "mount -t devpts -o newinstance,ptmxmode=0666 own /dev/pts && mount --bind /dev/pts/ptmx /dev/ptmx";

Deno.test({
  name:
    "a program in a chroot with terminals of its own is judged by its terminal, not by another of that number",
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  async fn() {
    const within = (command: string) => ["unshare", "--mount", "sh", "-c", `${OWN_TERMINALS} && ${command}`];
    const [command = "", ...args] = within("true");
    // A container may not mount.
    if (!(await new Deno.Command(command, { args, stdin: "null" }).output()).success) return;
    const libc = openSystemLibc();
    const probe = createProbe(libc);
    await using server = await PaneServer.start();
    const pane = await server.open(within("exec script -q -c 'exec bash -c \"read -s x\"' /dev/null"));
    const asks = await settle(() => probe.inspect(pane), ({ inputKind }) => inputKind === "password");
    assertEquals(asks.inputKind, "password", asks.evidence);
    assertMatch(asks.evidence, /^read\(0\) on .* behind script$/);
    libc.unload();
  },
});

Deno.test({
  name: "behind sudo, the terminal in front stands for that of a shell, which is another user's",
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  async fn() {
    const libc = openSystemLibc();
    const probe = createProbe(libc);
    await using server = await PaneServer.start();
    const run = async (...argv: string[]) => {
      const pane = await server.open(["sudo", ...argv]);
      await settle(() => probe.inspect(pane), (seen) => seen.evidence.endsWith("behind sudo"));
      await Deno.chown(pane.tty, NOBODY, NOBODY);
      return () => asUser(libc.path, NOBODY, () => probe.inspect(pane));
    };
    const shell = await settle(await run("bash", "--norc"), (seen) => seen.waitingForInput);
    const { waitingForInput, inputKind, isPrompt, evidence } = shell;
    assertEquals([waitingForInput, inputKind, shell.shell, isPrompt], [true, "raw", "bash", true], evidence);
    assertMatch(evidence, /^probably: .* is raw, sudo .* not ours to see into$/);

    const sleep = (await run("sleep", "500"))();
    assertEquals([sleep.waitingForInput, sleep.mayLead], [false, false], sleep.evidence);
    await Deno.symlink("/bin/sleep", `${server.home}/docker`);
    const client = (await run(`${server.home}/docker`, "500"))();
    assertEquals([client.waitingForInput, client.mayLead], [false, true], client.evidence);
    libc.unload();
  },
});

Deno.test({
  name: "another user's programs show what everyone may see, and the evidence says so",
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  async fn() {
    const libc = openSystemLibc();
    const probe = createProbe(libc);
    await using server = await PaneServer.start(NOBODY);
    const su = await server.open(["su"]);
    const asOwner = () => asUser(libc.path, NOBODY, () => probe.inspect(su));
    const inspection = await settle(asOwner, (seen) => seen.waitingForInput);
    assertEquals([inspection.inputKind, inspection.foregroundCmd], ["password", "su"]);
    assertMatch(inspection.evidence, /^probably: .* canonical without echo, su .* not ours to see into/);
    assertMatch(probe.inspect(su).evidence, /^read\(\d\) on/);

    await using foreign = await PaneServer.start();
    const cat = await foreign.open(["cat"]);
    await settle(() => probe.inspect(cat), (seen) => seen.waitingForInput);
    const unseen = asUser(libc.path, NOBODY, () => probe.inspect(cat));
    assertEquals([unseen.isAlive, unseen.waitingForInput, unseen.foregroundCmd], [true, false, "cat"]);
    assertMatch(unseen.evidence, /not ours to see into/);
    libc.unload();
  },
});
