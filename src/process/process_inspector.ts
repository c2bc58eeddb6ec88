// Facts about the processes behind panes, on this machine or on another.
import type { Ending } from "./ending.ts";
import type { ListeningPort, TakenPort } from "./listening.ts";
import type { PaneInspection, PaneProcess, ReadSleep, StoppedJob } from "./probe.ts";

type Awaitable<T> = T | Promise<T>;

/**
 * `empty`: the next key is inserted into an empty line. `begun`: there is text in it. `continued`: it is not the first
 * line of its command. `changing`: a key is on its way.
 */
export type EditedLine = "empty" | "begun" | "continued" | "changing";

export interface ProcessInspector {
  inspect(pane: PaneProcess): Awaitable<PaneInspection>;
  /** Start time of a process, which identifies it together with the pid; undefined if it is gone. */
  startTime(pid: number): Awaitable<string | undefined>;
  /** How a process ended that its parent has not collected yet; absent if that is not possible. */
  ending?(pid: number): Ending | undefined;
  /** Identity of a process's program, which changes with each exec; undefined if unknown. */
  image(pid: number): Awaitable<string | undefined>;
  /** Number of voluntary sleeps of a process's main thread; undefined if the system does not count them. */
  sleeps(pid: number): Awaitable<number | undefined>;
  /** Number of reads that a process has finished, also with nothing (Ctrl-D); undefined or absent if unknown. */
  readsDone?(pid: number): Awaitable<number | undefined>;
  /** Age of a process (ms); undefined if unknown. */
  ageMs(pid: number): Awaitable<number | undefined>;
  /** Ports that the pane's programs listen on; undefined or absent if that is unknown. */
  listening?(pane: PaneProcess): Awaitable<readonly ListeningPort[] | undefined>;
  /** Programs that listen on a port of the machine; undefined or absent if that is unknown. */
  taken?(port: number): Awaitable<readonly TakenPort[] | undefined>;
  /**
   * Pids of the pane's processes, except its own, that began in the last `ageMs`; undefined or absent if unknown.
   * `attached`: without those that have left the pane's session, as daemons and opened browsers do.
   */
  youngerThan?(
    pane: PaneProcess,
    ageMs: number,
    options?: { attached?: boolean },
  ): readonly number[] | undefined;
  /** Children of a shell that a signal has stopped, oldest first; absent if that is unknown. */
  stoppedJobs?(shellPid: number): readonly StoppedJob[];
  /** True if a shell has a file open, such as a start-up file or script that it reads; absent if that is unknown. */
  readsFile?(pid: number): boolean;
  /** True if a process has read part of a file that it has open for reading; absent if that is unknown. */
  readsScript?(pid: number): boolean;
  /** True if output to a descriptor can't be shown: it is closed or a file; absent if that is unknown. */
  discards?(pid: number, fd: number): boolean;
  /** True if bash is in a builtin, as in `read -e`; undefined or absent if that is unknown. */
  runsBuiltin?(pid: number): boolean | undefined;
  /** The line that a waiting shell's line editor holds; undefined or absent if that is unknown. */
  line?(pid: number, place: { shell: string; tty: string }): EditedLine | undefined;
  /** True if GNU readline, as a shared library, edits a program's lines; absent if that is unknown. */
  usesReadline?(pid: number): boolean;
  /** True if a program's line editor inserts the key after Ctrl-V (readline, libedit); absent if that is unknown. */
  quotesKeys?(pid: number): boolean;
  /**
   * Returns the read that a process sleeps in: `awake` if it is in none, undefined if that is hidden; absent if that
   * is not possible: on another machine, an inspection says it.
   */
  sleep?(pid: number): ReadSleep | "awake" | undefined;
  /** True if a process blocks SIGCHLD, as zsh does while it runs a command; on another machine, an inspection says it. */
  blocksChildren?(pid: number): boolean;
}
