import { assertEquals } from "@std/assert";
import {
  classify,
  type DescriptorFacts,
  type ProcessFacts,
  type ThreadFacts,
} from "../../src/process/classify.ts";
import type { TerminalMode } from "../../src/process/terminal.ts";

const TTY = "/dev/pts/4";
const LINE: TerminalMode = { canonical: true, echo: true, edited: false, pending: 0 };
const PASSWORD: TerminalMode = { canonical: true, echo: false, edited: false, pending: 0 };
const RAW: TerminalMode = { canonical: false, echo: false, edited: true, pending: 0 };
/** Terminal mode that rlwrap and some editors set: no lines, yet echo. */
const RAW_ECHO: TerminalMode = { canonical: false, echo: true, edited: false, pending: 0 };

const READS: ThreadFacts = { call: "read", terminalFd: 0 };
const POLLS: ThreadFacts = { call: "ppoll", terminalFd: 5 };
const SELECTS: ThreadFacts = { call: "pselect6", terminalFd: 0 };
const EPOLLS: ThreadFacts = { call: "epoll_pwait", terminalFd: 0 };
const SLEEPS: ThreadFacts = { call: "clock_nanosleep" };
const URING: ThreadFacts = { call: "io_uring_enter", opaque: true, sleepsIn: "io_cqring_wait" };
const UNSEEN: ThreadFacts = { opaque: true };
const hiddenIn = (sleepsIn: string): ThreadFacts => ({ opaque: true, sleepsIn });

const ONLY_TERMINAL: DescriptorFacts = {
  holdsTerminal: true,
  opensTerminal: false,
  epollsTerminal: false,
  otherSources: false,
  otherReads: false,
};
const AND_PIPES: DescriptorFacts = { ...ONLY_TERMINAL, otherSources: true };
const AND_SOCKETS: DescriptorFacts = { ...AND_PIPES, otherReads: true };
const EPOLLS_IT: DescriptorFacts = { ...AND_SOCKETS, epollsTerminal: true };
const NOT_HELD: DescriptorFacts = { ...AND_SOCKETS, holdsTerminal: false };

function process(threads: ThreadFacts | ThreadFacts[], rest: Partial<ProcessFacts> = {}): ProcessFacts {
  return { pid: 7, name: "it", state: "S", inGroup: true, threads: [threads].flat(), ...rest };
}

type Row = readonly [name: string, mode: TerminalMode | undefined, processes: ProcessFacts[], says: string];

const ROWS: readonly Row[] = [
  ["read", LINE, [process(READS)], "line: read(0) on /dev/pts/4"],
  ["read, echo off", PASSWORD, [process(READS)], "password: read(0) on /dev/pts/4"],
  ["read, raw", RAW, [process(READS)], "raw: read(0) on /dev/pts/4"],
  ["read, raw with echo", RAW_ECHO, [process(READS)], "raw: read(0) on /dev/pts/4"],
  ["poll", RAW, [process(POLLS)], "raw: ppoll on /dev/pts/4"],
  ["select", RAW, [process(SELECTS)], "raw: pselect6 on /dev/pts/4"],
  ["epoll", RAW, [process(EPOLLS)], "raw: epoll on /dev/pts/4"],
  [
    "second thread reads",
    LINE,
    [process([SLEEPS, READS])],
    "line: read(0) on /dev/pts/4, in a thread of its own",
  ],
  [
    "second process reads",
    LINE,
    [process(SLEEPS), process(READS, { pid: 8, name: "cat" })],
    "line: read(0) on /dev/pts/4 by cat (8)",
  ],
  [
    "second thread reads, the first is at work",
    LINE,
    [process([{}, READS])],
    "line: read(0) on /dev/pts/4, in a thread of its own, beside a thread at work",
  ],
  [
    "first thread reads, another is at work",
    LINE,
    [process([READS, {}])],
    "line: read(0) on /dev/pts/4",
  ],
  [
    "a detached child reads",
    LINE,
    [process(SLEEPS), process(READS, { pid: 8, inGroup: false })],
    "line: read(0) on /dev/pts/4 by it (8)",
  ],
  ["mode unreadable", undefined, [process(READS)], "line: read(0) on /dev/pts/4, mode unreadable"],
  ["typed ahead", { ...LINE, pending: 5 }, [process(READS)], "none: 5 bytes unread on /dev/pts/4"],
  ["asleep elsewhere", LINE, [process(SLEEPS)], "none: it (7) clock_nanosleep"],
  ["asleep elsewhere, echo off", PASSWORD, [process(SLEEPS)], "none: it (7) clock_nanosleep"],
  ["asleep elsewhere, raw", RAW, [process(SLEEPS)], "none: it (7) clock_nanosleep"],
  ["running", RAW, [process({}, { state: "R" })], "none: it (7) running"],
  ["no thread seen yet", RAW, [process([], { state: "D" })], "none: it (7) waiting for a device"],
  ["stopped while reading", LINE, [process(READS, { state: "T" })], "none: it (7) stopped"],
  ["traced", LINE, [process(READS, { state: "t" })], "none: it (7) traced"],
  ["dead", LINE, [process([], { state: "Z" })], "none: it (7) dead"],
  ["nobody", LINE, [], "none: no process in the foreground"],
  // Yama: no system calls, but wchan and descriptors.
  [
    "guarded tty read",
    LINE,
    [process(hiddenIn("wait_woken"), { descriptors: ONLY_TERMINAL })],
    "line: probably: it (7) asleep in wait_woken, holds /dev/pts/4",
  ],
  [
    "guarded write to a full terminal",
    { ...LINE, isFull: true },
    [process(hiddenIn("wait_woken"), { descriptors: ONLY_TERMINAL })],
    "none: it (7) wait_woken",
  ],
  [
    "guarded old tty read",
    LINE,
    [process(hiddenIn("n_tty_read"), { descriptors: AND_SOCKETS })],
    "line: probably: it (7) asleep in n_tty_read, holds /dev/pts/4",
  ],
  [
    "guarded tty or TCP read",
    LINE,
    [process(hiddenIn("wait_woken"), { descriptors: AND_SOCKETS })],
    "none: it (7) wait_woken",
  ],
  [
    "guarded tty read in a second thread",
    LINE,
    [process([hiddenIn("futex_wait_queue"), hiddenIn("wait_woken")], { descriptors: ONLY_TERMINAL })],
    "line: probably: it (7) asleep in wait_woken, holds /dev/pts/4, in a thread of its own",
  ],
  [
    "guarded tty read beside pipes",
    LINE,
    [process(hiddenIn("wait_woken"), { descriptors: AND_PIPES })],
    "line: probably: it (7) asleep in wait_woken, holds /dev/pts/4",
  ],
  [
    "guarded read beside sockets by one that opened /dev/tty",
    LINE,
    [process(hiddenIn("wait_woken"), { descriptors: { ...AND_SOCKETS, opensTerminal: true } })],
    "line: probably: it (7) asleep in wait_woken, holds /dev/pts/4",
  ],
  [
    "guarded poll, lines, with pipes",
    LINE,
    [process(hiddenIn("do_sys_poll"), { descriptors: AND_PIPES })],
    "none: it (7) do_sys_poll",
  ],
  [
    "guarded read, raw, with sockets",
    RAW,
    [process(hiddenIn("wait_woken"), { descriptors: AND_SOCKETS })],
    "raw: probably: it (7) asleep in wait_woken, holds /dev/pts/4",
  ],
  ["guarded poll, raw", RAW, [
    process(hiddenIn("poll_schedule_timeout.constprop.0"), { descriptors: AND_SOCKETS }),
  ], "raw: probably: it (7) asleep in poll_schedule_timeout.constprop.0, holds /dev/pts/4"],
  [
    "guarded poll before a pager's read",
    RAW,
    [
      process(hiddenIn("do_sys_poll"), { name: "curl", descriptors: AND_SOCKETS }),
      process(hiddenIn("wait_woken"), { pid: 8, name: "less", descriptors: ONLY_TERMINAL }),
    ],
    "raw: probably: less (8) asleep in wait_woken, holds /dev/pts/4",
  ],
  [
    "a client of containers by another name",
    RAW,
    [process(READS, { name: "docker-compose" })],
    "raw: read(0) on /dev/pts/4, beside a program on the far side",
  ],
  ["guarded poll, lines, with sockets", LINE, [
    process(hiddenIn("do_sys_poll"), { descriptors: AND_SOCKETS }),
  ], "none: it (7) do_sys_poll"],
  [
    "guarded epoll of the terminal",
    RAW,
    [process(hiddenIn("do_epoll_wait"), { descriptors: EPOLLS_IT })],
    "raw: probably: it (7) asleep in do_epoll_wait, holds /dev/pts/4",
  ],
  [
    "guarded epoll of others",
    RAW,
    [process(hiddenIn("ep_poll"), { descriptors: AND_SOCKETS })],
    "none: it (7) ep_poll",
  ],
  [
    "guarded io_uring",
    LINE,
    [process(hiddenIn("io_cqring_wait"), { descriptors: ONLY_TERMINAL })],
    "line: probably: it (7) asleep in io_cqring_wait, holds /dev/pts/4",
  ],
  [
    "guarded pipe read",
    RAW,
    [process(hiddenIn("anon_pipe_read"), { descriptors: ONLY_TERMINAL })],
    "none: it (7) anon_pipe_read",
  ],
  [
    "guarded read, terminal not held",
    RAW,
    [process(hiddenIn("wait_woken"), { descriptors: NOT_HELD })],
    "none: it (7) wait_woken",
  ],
  ["guarded, busy main thread", RAW, [
    process(hiddenIn("do_epoll_wait"), { state: "R", descriptors: EPOLLS_IT }),
  ], "none: it (7) running"],
  [
    "io_uring, raw",
    RAW,
    [process(URING, { descriptors: AND_SOCKETS })],
    "raw: probably: it (7) asleep in io_cqring_wait, holds /dev/pts/4",
  ],
  [
    "io_uring, lines, with sockets",
    LINE,
    [process(URING, { descriptors: AND_SOCKETS })],
    "none: it (7) io_uring_enter",
  ],
  [
    "io_uring, lines, nothing else",
    LINE,
    [process(URING, { descriptors: ONLY_TERMINAL })],
    "line: probably: it (7) asleep in io_cqring_wait, holds /dev/pts/4",
  ],
  // A program that can read while it works.
  [
    "epoll beside a listening socket",
    LINE,
    [process({ ...EPOLLS, beside: "a listening socket" })],
    "line: epoll on /dev/pts/4, beside a listening socket",
  ],
  [
    "ssh polls for its far side",
    LINE,
    [process(POLLS, { name: "ssh" })],
    "line: ppoll on /dev/pts/4, beside a program on the far side",
  ],
  [
    "docker exec -i passes on lines while its job runs",
    LINE,
    [process([SLEEPS, READS], { name: "docker", hasThreads: true })],
    "line: read(0) on /dev/pts/4, in a thread of its own, beside a program on the far side",
  ],
  [
    "docker exec -i, whose first thread happens to read",
    LINE,
    [process(READS, { name: "docker", hasThreads: true })],
    "line: read(0) on /dev/pts/4, beside a program on the far side",
  ],
  ["ssh asks about a key", LINE, [process(READS, { name: "ssh" })], "line: read(0) on /dev/pts/4"],
  [
    "docker asks for a password",
    PASSWORD,
    [process([SLEEPS, READS], { name: "docker", hasThreads: true })],
    "password: read(0) on /dev/pts/4, in a thread of its own",
  ],
  [
    "docker passes on a raw terminal",
    RAW,
    [process(READS, { name: "docker" })],
    "raw: read(0) on /dev/pts/4, beside a program on the far side",
  ],
  [
    "run0 passes on a raw terminal, which it waits for with epoll",
    RAW,
    [process(EPOLLS, { name: "run0" })],
    "raw: epoll on /dev/pts/4, beside a program on the far side",
  ],
  [
    "Erlang's virtual machine reads lines while its program works",
    LINE,
    [process([SLEEPS, EPOLLS], { name: "beam.smp" })],
    "line: epoll on /dev/pts/4, in a thread of its own, beside an Erlang program",
  ],
  [
    "Erlang's shell reads keys",
    RAW,
    [process([SLEEPS, EPOLLS], { name: "beam.smp" })],
    "raw: epoll on /dev/pts/4, in a thread of its own",
  ],
  ["ssh asks for a password", PASSWORD, [process(READS, { name: "ssh" })], "password: read(0) on /dev/pts/4"],
  // Another user's process: state and name only.
  [
    "foreign, echo off",
    PASSWORD,
    [process(UNSEEN)],
    "password: probably: /dev/pts/4 is canonical without echo, it (7) asleep and not ours to see into",
  ],
  [
    "foreign, raw",
    RAW,
    [process(UNSEEN)],
    "raw: probably: /dev/pts/4 is raw, it (7) asleep and not ours to see into",
  ],
  ["foreign, lines", LINE, [process(UNSEEN)], "none: it (7) asleep, not ours to see into"],
  ["foreign, mode unreadable", undefined, [process(UNSEEN)], "none: it (7) asleep, not ours to see into"],
  [
    "foreign, one member runs",
    PASSWORD,
    [process(UNSEEN), process({}, { pid: 8, state: "R" })],
    "none: it (7) asleep, not ours to see into",
  ],
  ["own asleep, echo off, a foreign child", PASSWORD, [
    process(SLEEPS),
    process(UNSEEN, { pid: 8, inGroup: false }),
  ], "none: it (7) clock_nanosleep"],
];

for (const [name, mode, processes, says] of ROWS) {
  Deno.test(`classify(): ${name}`, () => {
    const { waitingForInput, inputKind, evidence } = classify({
      terminal: TTY,
      processes,
      ...(mode && { mode }),
    });
    assertEquals(`${inputKind}: ${evidence}`, says);
    assertEquals(waitingForInput, inputKind !== "none");
  });
}

Deno.test("classify() says what else the reader waits for", () => {
  const besideOf = (...processes: ProcessFacts[]) =>
    classify({ terminal: TTY, mode: LINE, processes }).beside;
  assertEquals(besideOf(process({ ...EPOLLS, beside: "a timer" })), "a timer");
  assertEquals(besideOf(process(POLLS, { name: "ssh" })), "a program on the far side");
  assertEquals(besideOf(process(EPOLLS)), undefined);
  assertEquals(besideOf(process(EPOLLS, { threads: [EPOLLS, SLEEPS, {}] })), "a thread at work");
  assertEquals(besideOf(process(READS, { threads: [READS, {}] })), undefined);
  assertEquals(besideOf(process(SLEEPS, { name: "ssh" })), undefined);
});

Deno.test("classify() says what is beside a guarded reader", () => {
  const besideOf = (mode: TerminalMode, reader: ProcessFacts) =>
    classify({ terminal: TTY, mode, processes: [reader] }).beside;
  const ssh = (sleepsIn: string) => process(hiddenIn(sleepsIn), { name: "ssh", descriptors: AND_SOCKETS });
  assertEquals(besideOf(PASSWORD, ssh("wait_woken")), undefined, "a password");
  assertEquals(besideOf(RAW, ssh("wait_woken")), "a program on the far side");
  assertEquals(besideOf(RAW, ssh("do_sys_poll")), "a program on the far side");
  const epolls = hiddenIn("ep_poll");
  const serves: DescriptorFacts = { ...EPOLLS_IT, beside: "a listening socket" };
  assertEquals(besideOf(RAW, process(epolls, { descriptors: serves })), "a listening socket");
  assertEquals(besideOf(RAW, process(hiddenIn("wait_woken"), { descriptors: serves })), undefined);
  assertEquals(besideOf(RAW, process([epolls, UNSEEN], { descriptors: EPOLLS_IT })), "a thread at work");
  assertEquals(besideOf(RAW, process([epolls, epolls], { descriptors: EPOLLS_IT })), undefined);
  const builds: DescriptorFacts = { ...ONLY_TERMINAL, children: "other events" };
  const reads = hiddenIn("wait_woken");
  assertEquals(besideOf(RAW, process([hiddenIn("do_wait"), reads], { descriptors: builds })), "other events");
  assertEquals(besideOf(RAW, process([reads], { descriptors: builds })), undefined);
});

Deno.test("classify() says if a program may wait although nothing shows it", () => {
  const mayWait = (facts: ProcessFacts) =>
    classify({ terminal: TTY, mode: LINE, processes: [facts] }).mayWait;
  assertEquals(mayWait(process(hiddenIn("wait_woken"), { descriptors: AND_SOCKETS })), "sleep");
  assertEquals(mayWait(process(hiddenIn("do_sys_poll"), { descriptors: AND_SOCKETS })), "sleep");
  assertEquals(mayWait(process(UNSEEN)), "sleep");
  assertEquals(mayWait(process(hiddenIn("hrtimer_nanosleep"), { descriptors: AND_SOCKETS })), undefined);
  assertEquals(mayWait(process(SLEEPS)), undefined);
  const full = { ...LINE, isFull: true };
  const writes = [process(hiddenIn("wait_woken"), { descriptors: AND_SOCKETS })];
  assertEquals(classify({ terminal: TTY, mode: full, processes: writes }).mayWait, undefined);
  assertEquals(mayWait({ pid: 1, name: "bc", state: "R", threads: [], inGroup: true }), undefined);
});

Deno.test("classify() names the reader, so that relays can be inspected behind", () => {
  const processes = [process(SLEEPS), process(READS, { pid: 8, name: "sudo" })];
  assertEquals(classify({ terminal: TTY, mode: RAW, processes }).reader, 8);
});
