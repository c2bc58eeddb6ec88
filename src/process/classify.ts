// Decides from gathered facts whether a terminal's foreground waits for input; pure.

import type { TerminalMode } from "./terminal.ts";

/** `line`: canonical read. `password`: canonical, echo off. `raw`: a line editor, REPL, editor or TUI. */
export type InputKind = "none" | "line" | "password" | "raw";

export interface Verdict {
  readonly waitingForInput: boolean;
  readonly inputKind: InputKind;
  /** The terminal is as line editors set it; absent where its mode can't be read. */
  readonly edited?: boolean;
  /** In line mode it would hand over every printable character as it is; absent where that can't be read. */
  readonly takesLines?: boolean;
  /** The kernel facts that decided, in a few words. */
  readonly evidence: string;
  /** Other things the reader waits for, which may be its work. */
  readonly beside?: Work;
  /** The process that reads the terminal. */
  readonly reader?: number;
  /** That process copies what is typed there to this pseudo-terminal: its number. */
  readonly passedTo?: number;
}

/** Work that a program can wait for together with the terminal. */
export type Work = "a timer" | "a listening socket" | "a file watcher" | "a program on the far side";

/** Activity of one thread. */
export interface ThreadFacts {
  /** The call it is blocked in; absent when it runs or when the kernel hides it. */
  readonly call?: string;
  /** The pane's terminal is among what that call reads or waits to read: the descriptor. */
  readonly terminalFd?: number;
  /** Work that the same call waits for too: connections, changed files, a timer. */
  readonly beside?: Work;
  /** The same call waits for the one pseudo-terminal that it copies the terminal to: its number. */
  readonly passedTo?: number;
  /** The call doesn't show what it waits for (io_uring), or its arguments can't be read. */
  readonly opaque?: boolean;
  /** The kernel function it sleeps in, asked only where the call is hidden or opaque. */
  readonly sleepsIn?: string;
}

/** Activity of one foreground process. */
export interface ProcessFacts {
  readonly pid: number;
  readonly name: string;
  readonly state: string;
  readonly threads: readonly ThreadFacts[];
  /** In the terminal's foreground group, as opposed to a child that reads it from another session. */
  readonly inGroup: boolean;
  /** Its descriptors; absent when the kernel hides them. Read only if a call is hidden or opaque. */
  readonly descriptors?: DescriptorFacts;
}

export interface DescriptorFacts {
  readonly holdsTerminal: boolean;
  /** An epoll instance of its waits for the terminal. */
  readonly epollsTerminal: boolean;
  /** True if it holds something else it could be waiting for: a socket, pipe, timer or event descriptor. */
  readonly otherSources: boolean;
}

export interface Facts {
  /** The terminal's path, for the evidence. */
  readonly terminal: string;
  /** Absent when the terminal could not be opened. */
  readonly mode?: TerminalMode;
  /** The group's leader first. */
  readonly processes: readonly ProcessFacts[];
}

/** Kernel functions that a tty read sleeps in: `n_tty_read` up to 3.18, `wait_woken` since (sockets too), or an io_uring's. */
const READ_SLEEPS = new Set(["n_tty_read", "wait_woken", "tty_read", "io_cqring_wait"]);
const POLL_SLEEP = /^(poll_schedule_timeout|do_select|do_sys_poll|do_poll|core_sys_select)/;
const EPOLL_SLEEP = /^(do_epoll_wait|ep_poll|ep_wait)/;

/** Judges the facts: certain evidence first, then likely evidence where permissions hide the certain. */
export function classify(facts: Facts): Verdict {
  const { mode, terminal } = facts;
  const alive = facts.processes.filter((process) => !/[TtZX]/.test(process.state));
  if (mode !== undefined && mode.pending > 0) {
    return notWaiting(`${mode.pending} bytes unread on ${terminal}`);
  }
  for (const find of [seenReading, likelyReading]) {
    for (const process of alive) {
      const found = find(process, facts);
      if (found !== undefined) return waiting(mode, { ...found, reader: process.pid });
    }
  }
  return unseenReading(alive, facts) ?? notWaiting(describe(facts.processes));
}

/** Evidence that a process reads. */
interface ReadEvidence {
  readonly evidence: string;
  readonly beside?: Work;
  readonly passedTo?: number;
}

function seenReading(process: ProcessFacts, { terminal, processes, mode }: Facts): ReadEvidence | undefined {
  const thread = process.threads.find(({ terminalFd }) => terminalFd !== undefined);
  if (thread === undefined) return undefined;
  const by = process === processes[0] ? "" : ` by ${process.name} (${process.pid})`;
  const beside = thread.beside ?? remoteSide(process, thread, mode);
  const evidence = `${callText(thread.call ?? "", thread.terminalFd ?? 0)} on ${terminal}${by}`;
  const { passedTo } = thread;
  if (beside === undefined) return { evidence, ...(passedTo !== undefined && { passedTo }) };
  return { evidence: `${evidence}, beside ${beside}`, beside };
}

/** Clients that pass the terminal to a program that can't be seen; their own questions they read as lines. */
const REMOTE_CLIENTS = /^(ssh|mosh-client|telnet|docker|podman|nerdctl|kubectl|oc)$/;

function remoteSide({ name }: ProcessFacts, { call }: ThreadFacts, mode?: TerminalMode): Work | undefined {
  const handsOn = REMOTE_CLIENTS.test(name) && (call !== "read" || mode?.canonical === false);
  return handsOn ? "a program on the far side" : undefined;
}

function callText(call: string, fd: number): string {
  if (call.startsWith("epoll")) return "epoll";
  return call.includes("poll") || call.includes("select") ? call : `${call}(${fd})`;
}

/** A thread with a hidden or opaque call, in a process that holds the terminal and little else. */
function likelyReading(process: ProcessFacts, facts: Facts): ReadEvidence | undefined {
  const held = process.descriptors;
  if (process.state !== "S" || held === undefined) return undefined;
  if (!held.holdsTerminal && !held.epollsTerminal) return undefined;
  const thread = process.threads.find((each) => each.opaque && couldRead(each, held, facts.mode));
  if (thread === undefined) return undefined;
  const where = thread.sleepsIn ?? thread.call;
  const beside = remoteSide(process, thread, facts.mode);
  const evidence = `probably: ${process.name} (${process.pid}) asleep in ${where}, holds ${facts.terminal}`;
  return { evidence, ...(beside !== undefined && { beside }) };
}

function couldRead(
  { sleepsIn = "", call }: ThreadFacts,
  held: DescriptorFacts,
  mode?: TerminalMode,
): boolean {
  if (EPOLL_SLEEP.test(sleepsIn) || call?.startsWith("epoll")) return held.epollsTerminal;
  if (sleepsIn === "n_tty_read") return true;
  const readFamily = READ_SLEEPS.has(sleepsIn) || POLL_SLEEP.test(sleepsIn) || call !== undefined;
  return readFamily && (isTaken(mode) || !held.otherSources);
}

/** A program has set the terminal to other than plain lines. */
function isTaken(mode: TerminalMode | undefined): mode is TerminalMode {
  return mode !== undefined && !(mode.canonical && mode.echo);
}

/** Processes of another user show only that they sleep; the terminal's own mode tells the rest. */
function unseenReading(alive: readonly ProcessFacts[], { mode, terminal }: Facts): Verdict | undefined {
  const group = alive.filter((process) => process.inGroup);
  const hidden = group.find(isHidden);
  // `sudo apt-get`: what was started last.
  const reader = group.findLast(isHidden);
  const asleep = group.every((process) => process.state === "S");
  if (hidden === undefined || reader === undefined || !asleep || !isTaken(mode)) return undefined;
  const what = mode.canonical ? "canonical without echo" : "raw";
  const evidence =
    `probably: ${terminal} is ${what}, ${hidden.name} (${hidden.pid}) asleep and not ours to see into`;
  return waiting(mode, { evidence, reader: reader.pid });
}

function isHidden(process: ProcessFacts): boolean {
  return process.descriptors === undefined &&
    process.threads.every((thread) => thread.opaque === true && thread.sleepsIn === undefined);
}

function waiting(mode: TerminalMode | undefined, found: ReadEvidence & { reader: number }): Verdict {
  const inputKind = isTaken(mode) ? mode.canonical ? "password" : "raw" : "line";
  const evidence = mode === undefined ? `${found.evidence}, mode unreadable` : found.evidence;
  const { edited, takesLines } = mode ?? {};
  return {
    ...found,
    waitingForInput: true,
    inputKind,
    ...(edited !== undefined && { edited }),
    ...(takesLines !== undefined && { takesLines }),
    evidence,
  };
}

/** The verdict on programs that wait for no input. */
export function notWaiting(evidence: string): Verdict {
  return { waitingForInput: false, inputKind: "none", evidence };
}

const STATES: Readonly<Record<string, string>> = {
  R: "running",
  D: "waiting for a device",
  T: "stopped",
  t: "traced",
  Z: "dead",
};

function describe(processes: readonly ProcessFacts[]): string {
  const first = processes[0];
  if (first === undefined) return "no process in the foreground";
  const thread = first.threads[0];
  const doing = thread?.call ?? thread?.sleepsIn ??
    (thread?.opaque ? "asleep, not ours to see into" : "running");
  return `${first.name} (${first.pid}) ${STATES[first.state] ?? doing}`;
}
