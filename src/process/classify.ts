// Decides from gathered facts if a terminal's foreground waits for input; pure functions.

import { leadsElsewhere } from "./relay_programs.ts";
import { isTaken, type TerminalMode } from "./terminal.ts";

/** `line`: canonical read. `password`: canonical, echo off. `raw`: a line editor, REPL, editor or TUI. */
export type InputKind = "none" | "line" | "password" | "raw";

export interface Verdict {
  readonly waitingForInput: boolean;
  readonly inputKind: InputKind;
  /** True if the terminal is set the way line editors set it; absent if its mode can't be read. */
  readonly edited?: boolean;
  /** True if, in line mode, it passes on every printable character unchanged; absent if that can't be read. */
  readonly takesLines?: boolean;
  /** The kernel facts that decided, in a few words. */
  readonly evidence: string;
  /** Other things that the reader waits for, which may be its work. */
  readonly beside?: Work;
  /** Pid of the process that reads the terminal. */
  readonly reader?: number;
  /** Thread that sleeps in a read of the terminal alone, if it is known and not that process's first. */
  readonly readingThread?: number;
  /** Number of the pseudo-terminal to which that process copies what is typed. */
  readonly passedTo?: number;
  /** Set if it may wait although nothing shows it: what hides that, a program's `sleep` or also the terminal's `mode`. */
  readonly mayWait?: "sleep" | "mode";
}

/** Work that a program can wait for together with the terminal. */
export type Work =
  | "a timer"
  | "a listening socket"
  | "a file watcher"
  | "other events"
  | "a program on the far side"
  | "an Erlang program"
  | "a thread at work";

export interface ThreadFacts {
  readonly id?: number;
  /** Call that it is blocked in; absent if it runs or the kernel hides the call. */
  readonly call?: string;
  /** Descriptor of the pane's terminal, if the call reads it or waits to read it. */
  readonly terminalFd?: number;
  /** Work that the same call also waits for: connections, changed files, a timer, a child. */
  readonly beside?: Work;
  /** Number of the only pseudo-terminal that the same call waits for: it copies the terminal there. */
  readonly passedTo?: number;
  /** True if the call does not show what it waits for (io_uring), or its arguments can't be read. */
  readonly opaque?: boolean;
  /** Kernel function that it sleeps in; read only if the call is hidden or opaque. */
  readonly sleepsIn?: string;
}

/** Activity of one foreground process. */
export interface ProcessFacts {
  readonly pid: number;
  readonly name: string;
  readonly state: string;
  readonly threads: readonly ThreadFacts[];
  /** True if it has more than one thread, in `threads` or not. */
  readonly hasThreads?: boolean;
  /** True in the terminal's foreground group; false for a child that reads the terminal from another session. */
  readonly inGroup: boolean;
  /** Its descriptors, read only if a call is hidden or opaque; absent if the kernel hides them. */
  readonly descriptors?: DescriptorFacts;
}

export interface DescriptorFacts {
  readonly holdsTerminal: boolean;
  /** True if it has opened /dev/tty itself, which programs do to ask, and close afterwards. */
  readonly opensTerminal: boolean;
  /** True if one of its epoll instances waits for the terminal. */
  readonly epollsTerminal: boolean;
  /** Work that the same instance waits for, or if none does, that could arrive through any descriptor. */
  readonly beside?: Work | undefined;
  /** True if it holds something else to wait for: a socket, pipe, timer or event descriptor. */
  readonly otherSources: boolean;
  /** True if a read of one of its other descriptors may sleep in the same function as a terminal's. */
  readonly otherReads: boolean;
  /** Work of its children, if they are in its group and the terminal passes on keys; for a thread other than its first. */
  readonly children?: Work | undefined;
}

export interface Facts {
  /** Path of the terminal, for the evidence. */
  readonly terminal: string;
  /** Absent if the terminal could not be opened. */
  readonly mode?: TerminalMode;
  /** Foreground processes, the group's leader first. */
  readonly processes: readonly ProcessFacts[];
}

/**
 * Kernel functions that a read of a tty sleeps in: `n_tty_read` up to 3.18, `wait_woken` since (also for TCP and
 * inotify; not for pipes, event descriptors and local sockets).
 */
const READ_SLEEPS = new Set(["n_tty_read", "wait_woken", "tty_read"]);
const URING_SLEEP = "io_cqring_wait";
const POLL_SLEEP = /^(poll_schedule_timeout|do_select|do_sys_poll|do_poll|core_sys_select)/;
const EPOLL_SLEEP = /^(do_epoll_wait|ep_poll|ep_wait)/;

const STOPPED_OR_DEAD = /[TtZX]/;

/** Judges the facts: certain evidence first, then likely evidence where permissions hide the certain one. */
export function classify(facts: Facts): Verdict {
  const { mode, terminal } = facts;
  const alive = facts.processes.filter(({ state }) => !STOPPED_OR_DEAD.test(state));
  if (mode !== undefined && mode.pending > 0) {
    return notWaiting(`${mode.pending} bytes unread on ${terminal}`);
  }
  for (const find of FINDERS) {
    for (const process of alive) {
      const found = find(process, facts);
      if (found !== undefined) return waiting(mode, { ...found, reader: process.pid });
    }
  }
  const mayWait = mode?.isFull !== true && alive.some(couldWait);
  return unseenReading(alive, facts) ??
    { ...notWaiting(describe(facts.processes)), ...(mayWait && { mayWait: mode ? "sleep" : "mode" }) };
}

/** Part of the evidence where the kernel shows only that the programs sleep, so that the reader is a guess. */
export const UNSEEN = "not ours to see into";
/** End of the evidence where the reader is not the program's first thread, which may be at work. */
export const READS_IN_THREAD = ", in a thread of its own";

/** Evidence that a process reads the terminal. */
type ReadEvidence = Pick<Verdict, "evidence" | "beside" | "passedTo" | "readingThread">;

function seenReading(process: ProcessFacts, { terminal, processes, mode }: Facts): ReadEvidence | undefined {
  const thread = process.threads.find(({ terminalFd }) => terminalFd !== undefined);
  if (thread === undefined) return undefined;
  const by = process === processes[0] ? "" : ` by ${process.name} (${process.pid})`;
  const aside = thread === process.threads[0] ? "" : READS_IN_THREAD;
  const beside = threadAtWork(process, thread) ?? thread.beside ?? readsFor(process, thread, mode);
  const evidence = `${callText(thread.call ?? "", thread.terminalFd ?? 0)} on ${terminal}${by}${aside}`;
  const { passedTo, id } = thread;
  const inThread = aside !== "" && isRead(thread) && id !== undefined && { readingThread: id };
  if (beside === undefined) return { evidence, ...inThread, ...(passedTo !== undefined && { passedTo }) };
  return { evidence: `${evidence}, beside ${beside}`, ...inThread, beside };
}

/**
 * An event loop waits for the results of its threads too (a bundler's). A thread that reads by itself does not, but
 * then the program's first thread may be at work.
 */
function threadAtWork({ threads }: ProcessFacts, thread: ThreadFacts): Work | undefined {
  const isAtWork = isEpoll(thread)
    ? threads.some(runs)
    : thread !== threads[0] && threads.slice(0, 1).some(runs);
  return isAtWork ? "a thread at work" : undefined;
}

/** True if a thread runs, in a process of which the kernel shows where others sleep. */
function runs({ call, sleepsIn }: ThreadFacts): boolean {
  return call === undefined && sleepsIn === undefined;
}

function isEpoll({ call, sleepsIn = "" }: ThreadFacts): boolean {
  return call?.startsWith("epoll") || EPOLL_SLEEP.test(sleepsIn);
}

function isRead({ call, sleepsIn = "" }: ThreadFacts): boolean {
  return call === "read" || READ_SLEEPS.has(sleepsIn);
}

/** ssh, `docker exec -i` and Erlang (`mix test`) read lines from their start, while what they run may be at work. */
function readsFor(process: ProcessFacts, thread: ThreadFacts, mode?: TerminalMode): Work | undefined {
  if (process.name === "beam.smp" && !isTaken(mode)) return "an Erlang program";
  const readsLines = process.hasThreads === true && !isTaken(mode);
  const passesOn = readsLines || !isRead(thread) || mode?.canonical === false;
  return passesOn && leadsElsewhere(process.name) ? "a program on the far side" : undefined;
}

function callText(call: string, fd: number): string {
  if (call.startsWith("epoll")) return "epoll";
  return call.includes("poll") || call.includes("select") ? call : `${call}(${fd})`;
}

/** Finds a thread with a hidden or opaque call that could read, in a process that holds the terminal. */
function likelyReading(process: ProcessFacts, facts: Facts, could: Guess): ReadEvidence | undefined {
  const held = process.descriptors;
  if (process.state !== "S" || !held || !(held.holdsTerminal || held.epollsTerminal)) return undefined;
  const thread = process.threads.find((each) => each.opaque && could(each, held, facts.mode));
  if (thread === undefined) return undefined;
  const where = thread.sleepsIn ?? thread.call;
  const aside = thread === process.threads[0] ? "" : READS_IN_THREAD;
  const beside = threadAtWork(process, thread) ??
    (isRead(thread) ? undefined : held.beside) ?? (aside && held.children || undefined) ??
    readsFor(process, thread, facts.mode);
  const evidence =
    `probably: ${process.name} (${process.pid}) asleep in ${where}, holds ${facts.terminal}${aside}`;
  return beside === undefined ? { evidence } : { evidence: `${evidence}, beside ${beside}`, beside };
}

function couldRead(thread: ThreadFacts, held: DescriptorFacts, mode?: TerminalMode): boolean {
  const { sleepsIn = "" } = thread;
  if (isEpoll(thread)) return held.epollsTerminal;
  if (sleepsIn === "n_tty_read") return true;
  // A write that has to wait sleeps in the same function, and holds the terminal's lock for writers.
  return READ_SLEEPS.has(sleepsIn) && mode?.isFull !== true &&
    (isTaken(mode) || held.opensTerminal || !held.otherReads);
}

/** The same for sleeps in which it waits for any descriptors. */
function couldPoll(
  { sleepsIn = "", call }: ThreadFacts,
  held: DescriptorFacts,
  mode?: TerminalMode,
): boolean {
  const mayRead = sleepsIn === URING_SLEEP || POLL_SLEEP.test(sleepsIn) || call !== undefined;
  return mayRead && (isTaken(mode) || !held.otherSources);
}

type Guess = (thread: ThreadFacts, held: DescriptorFacts, mode?: TerminalMode) => boolean;

/**
 * The most certain evidence of any process comes first: in `curl … | less` both hold the terminal, and curl polls. Of
 * those that poll, one with other work does: tmux's server reads for its client.
 */
const FINDERS: readonly ((process: ProcessFacts, facts: Facts) => ReadEvidence | undefined)[] = [
  seenReading,
  (process, facts) => likelyReading(process, facts, couldRead),
  (process, facts) => [likelyReading(process, facts, couldPoll)].find((found) => found?.beside),
  (process, facts) => likelyReading(process, facts, couldPoll),
];

/** True if one of the process's hidden calls may be one that waits for input of any kind. */
function couldWait(process: ProcessFacts): boolean {
  const isWait = ({ opaque, sleepsIn = "", call }: ThreadFacts): boolean =>
    opaque === true && (call !== undefined || READ_SLEEPS.has(sleepsIn) || sleepsIn === URING_SLEEP ||
      POLL_SLEEP.test(sleepsIn) || EPOLL_SLEEP.test(sleepsIn));
  return process.state === "S" && (isHidden(process) || process.threads.some(isWait));
}

/** Judges by the terminal's mode: processes of another user show only that they sleep. */
function unseenReading(alive: readonly ProcessFacts[], { mode, terminal }: Facts): Verdict | undefined {
  const group = alive.filter((process) => process.inGroup);
  const hidden = group.find(isHidden);
  // The program that was started last reads, as apt-get does in `sudo apt-get`.
  const reader = group.findLast(isHidden);
  const asleep = group.every((process) => process.state === "S");
  if (hidden === undefined || reader === undefined || !asleep || !isTaken(mode)) return undefined;
  const what = mode.canonical ? "canonical without echo" : "raw";
  const evidence = `probably: ${terminal} is ${what}, ${hidden.name} (${hidden.pid}) asleep and ${UNSEEN}`;
  return waiting(mode, { evidence, reader: reader.pid });
}

function isHidden(process: ProcessFacts): boolean {
  return process.descriptors === undefined &&
    process.threads.every((thread) => thread.opaque === true && thread.sleepsIn === undefined);
}

function waiting(mode: TerminalMode | undefined, found: ReadEvidence & { reader: number }): Verdict {
  const evidence = mode === undefined ? `${found.evidence}, mode unreadable` : found.evidence;
  const { edited, takesLines } = mode ?? {};
  return {
    ...found,
    waitingForInput: true,
    inputKind: inputKindOf(mode),
    ...(edited !== undefined && { edited }),
    ...(takesLines !== undefined && { takesLines }),
    evidence,
  };
}

/** Returns the kind of input that a terminal in this mode passes on. */
export function inputKindOf(mode: TerminalMode | undefined): InputKind {
  if (!isTaken(mode)) return "line";
  return mode.canonical ? "password" : "raw";
}

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
    (thread?.opaque ? `asleep, ${UNSEEN}` : "running");
  const child = thread?.call?.startsWith("wait") ? processes.findLast(isRunning) : undefined;
  const awaited = child === undefined || child === first ? "" : ` for ${child.name} (${child.pid})`;
  return `${first.name} (${first.pid}) ${STATES[first.state] ?? doing}${awaited}`;
}

function isRunning({ inGroup, state }: ProcessFacts): boolean {
  return inGroup && !STOPPED_OR_DEAD.test(state);
}
