import { assertEquals } from "@std/assert";
import {
  classifyDarwin,
  type DarwinProcess,
  hasOtherSources,
  KINFO_PROC_SIZE,
  parseKinfoProcs,
  parseProcArgs,
  parseTaskInfo,
} from "../../../src/process/darwin/facts.ts";
import { DarwinProbe } from "../../../src/process/darwin/probe.ts";
import type { Libc } from "../../../src/ffi/libc.ts";

const ENCODER = new TextEncoder();

interface Fields {
  pid: number;
  comm: string;
  stat?: number;
  parent?: number;
  group?: number;
  foreground?: number;
  waitMessage?: string;
  exit?: number;
}

/** A `struct kinfo_proc` as xnu lays it out. */
function kinfo(
  { pid, comm, stat = 2, parent = 1, group = pid, foreground = pid, waitMessage = "", exit = 0 }: Fields,
) {
  const bytes = new Uint8Array(KINFO_PROC_SIZE);
  const view = new DataView(bytes.buffer);
  view.setBigInt64(0, 1_700_000_000n, true);
  view.setInt32(8, pid, true);
  view.setUint8(36, stat);
  view.setInt32(40, pid, true);
  bytes.set(ENCODER.encode(comm), 243);
  view.setUint16(280, exit, true);
  view.setInt32(560, parent, true);
  view.setInt32(564, group, true);
  view.setInt32(572, 0x10000004, true);
  view.setInt32(576, foreground, true);
  bytes.set(ENCODER.encode(waitMessage), 592);
  return bytes;
}

function join(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

/** A `struct proc_taskinfo`. */
function taskInfo({ running = 0, unix = 10 }: { running?: number; unix?: number }): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(96);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(16, 500n, true);
  view.setBigUint64(24, 700n, true);
  view.setInt32(72, 3, true);
  view.setInt32(76, unix, true);
  view.setInt32(80, 42, true);
  view.setInt32(88, running, true);
  return bytes;
}

Deno.test("parseKinfoProcs() reads every field at its offset, and ignores a cut last record", () => {
  const bytes = join(
    kinfo({ pid: 501, comm: "-zsh", parent: 500, group: 501, foreground: 612 }),
    kinfo({ pid: 612, comm: "sixteen-letters.", stat: 5, parent: 501, waitMessage: "ttyin", exit: 768 }),
    new Uint8Array(100),
  );
  const [shell, dead, ...rest] = parseKinfoProcs(bytes);
  assertEquals(rest, []);
  assertEquals(shell, {
    pid: 501,
    comm: "-zsh",
    stat: 2,
    parent: 500,
    group: 501,
    foregroundGroup: 612,
    waitMessage: "",
    exitStatus: 0,
    startTime: "1700000000.000501",
  });
  assertEquals([dead?.comm, dead?.stat, dead?.waitMessage, dead?.exitStatus], [
    "sixteen-letters.",
    5,
    "ttyin",
    768,
  ]);
});

Deno.test("parseTaskInfo() sees any progress", () => {
  assertEquals(parseTaskInfo(taskInfo({ running: 2 })), { runningThreads: 2, progress: "1200/3/10/42" });
  assertEquals(
    parseTaskInfo(taskInfo({ unix: 11 })).progress === parseTaskInfo(taskInfo({})).progress,
    false,
  );
});

Deno.test("hasOtherSources() counts sockets, kqueues and pipes, not files", () => {
  const descriptors = (...types: number[]) =>
    new Uint8Array(new Uint32Array(types.flatMap((type, fd) => [fd, type])).buffer);
  assertEquals(hasOtherSources(descriptors(1, 1, 1)), false);
  for (const type of [2, 5, 6]) assertEquals(hasOtherSources(descriptors(1, type)), true);
});

Deno.test("parseProcArgs() skips the padding after the path, and takes count arguments", () => {
  const bytes = join(
    new Uint8Array([2, 0, 0, 0]),
    ENCODER.encode("/bin/zsh\0\0\0\0-zsh\0-f\0HOME=/Users/me\0"),
  );
  assertEquals(parseProcArgs(bytes), { executable: "/bin/zsh", argv: ["-zsh", "-f"] });
});

const LINE = { canonical: true, echo: true, edited: false, pending: 0 };
const PASSWORD = { canonical: true, echo: false, edited: false, pending: 0 };
const RAW = { canonical: false, echo: false, edited: true, pending: 0 };

function process(rest: Partial<DarwinProcess> = {}): DarwinProcess {
  const [known] = parseKinfoProcs(kinfo({ pid: 7, comm: "it" }));
  return { ...known!, task: { runningThreads: 0, progress: "1" }, before: "1", otherSources: false, ...rest };
}

type Row = readonly [name: string, mode: typeof LINE | undefined, processes: DarwinProcess[], kind: string];

const ROWS: readonly Row[] = [
  ["idle, lines", LINE, [process()], "line"],
  ["idle, echo off", PASSWORD, [process()], "password"],
  ["idle, raw", RAW, [process({ otherSources: true })], "raw"],
  ["a thread runs", RAW, [process({ task: { runningThreads: 1, progress: "1" } })], "none"],
  ["progress since the last inspection", PASSWORD, [process({ before: "0" })], "none"],
  ["first inspection", PASSWORD, [process()].map(({ before: _, ...rest }) => rest), "password"],
  ["lines, with sockets", LINE, [process({ otherSources: true })], "none"],
  ["lines, another user's", LINE, [process()].map(({ otherSources: _, task: __, ...rest }) => rest), "none"],
  [
    "echo off, another user's",
    PASSWORD,
    [process()].map(({ otherSources: _, task: __, ...rest }) => rest),
    "password",
  ],
  [
    "ttyin where the system still says it",
    LINE,
    [process({ waitMessage: "ttyin", otherSources: true })],
    "line",
  ],
  ["stopped (state 4)", RAW, [process({ stat: 4 })], "none"],
  ["state 2 is running, not sleeping: xnu says it of nearly all", LINE, [process({ stat: 2 })], "line"],
  ["a shell waits for its idle child", LINE, [
    process({ otherSources: true }),
    process({ pid: 8, parent: 7 }),
  ], "line"],
  ["unread input", { ...LINE, pending: 3 }, [process()], "none"],
  ["terminal can't be opened", undefined, [process()], "none"],
  ["nobody", LINE, [], "none"],
];

for (const [name, mode, processes, kind] of ROWS) {
  Deno.test(`classifyDarwin(): ${name}`, () => {
    const verdict = classifyDarwin({ terminal: "/dev/ttys004", processes, ...(mode && { mode }) });
    assertEquals([verdict.inputKind, verdict.waitingForInput], [kind, kind !== "none"], verdict.evidence);
  });
}

interface Machine {
  processes: Uint8Array[];
  unixCalls: number;
}

/** A libc that answers as macOS would: a raw terminal, and what the machine holds. */
function fakeLibc(machine: Machine): Libc {
  const fill = (into: Uint8Array, bytes: Uint8Array) => {
    into.set(bytes);
    return into.subarray(0, bytes.length);
  };
  return {
    path: "/usr/lib/libSystem.B.dylib",
    platform: { os: "darwin", arch: "aarch64" },
    open: () => 9,
    close() {},
    attributes(_fd, into) {
      into.fill(0);
      return 0;
    },
    ioctl: () => 0,
    isWritable: () => true,
    kill: () => 0,
    clock: () => 0,
    sysctl(name, into) {
      if (name[1] === 49) {
        return fill(into, join(new Uint8Array([1, 0, 0, 0]), ENCODER.encode("/bin/zsh\0\0-zsh\0")));
      }
      const all = parseKinfoProcs(join(...machine.processes));
      const wanted = machine.processes.filter((_, at) =>
        name[2] === 1 ? all[at]?.pid === name[3] : all[at]?.group === name[3]
      );
      return fill(into, join(...wanted));
    },
    procPidInfo(_pid, flavor, into) {
      if (flavor !== 4) return -1;
      into.set(taskInfo({ unix: machine.unixCalls }));
      return 96;
    },
  } as Partial<Libc> as Libc;
}

Deno.test("DarwinProbe inspects twice: progress in between is not waiting", () => {
  const machine = { processes: [kinfo({ pid: 501, comm: "zsh" })], unixCalls: 1 };
  const probe = new DarwinProbe(fakeLibc(machine));
  const inspect = () => probe.inspect({ panePid: 501, tty: "/dev/ttys004" });
  assertEquals([inspect().inputKind, inspect().inputKind], ["raw", "raw"]);
  machine.unixCalls++;
  assertEquals(inspect().inputKind, "none");
  const { foregroundPid, foregroundCmd, shell, isAlive } = inspect();
  assertEquals([foregroundPid, foregroundCmd, shell, isAlive], [501, "zsh", "zsh", true]);
});

Deno.test("DarwinProbe takes the group's leader for the foreground, and its death for an exit", () => {
  const shell = kinfo({ pid: 501, comm: "zsh", foreground: 700 });
  const machine = {
    processes: [
      shell,
      kinfo({ pid: 702, comm: "cat", group: 700 }),
      kinfo({ pid: 700, comm: "sleep", group: 700 }),
    ],
    unixCalls: 1,
  };
  const probe = new DarwinProbe(fakeLibc(machine));
  const pane = { panePid: 501, tty: "/dev/ttys004" };
  assertEquals([probe.inspect(pane).foregroundPid, probe.foregroundGroup(501)], [700, 700]);
  const watch = probe.watchExit(700);
  assertEquals(watch.poll(), undefined);
  machine.processes[2] = kinfo({ pid: 700, comm: "sleep", group: 700, stat: 5, exit: 15 });
  assertEquals(watch.poll(), { exitSignal: "SIGTERM" });
  machine.processes = [shell];
  assertEquals(watch.poll(), {});
  machine.processes = [];
  assertEquals([probe.inspect(pane).isAlive, probe.startTime(501)], [false, undefined]);
});
