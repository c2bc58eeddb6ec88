// Facts about the processes behind panes, on this machine or on another.
import type { Ending } from "./ending.ts";
import type { ListeningPort, TakenPort } from "./listening.ts";
import type { PaneInspection, PaneProcess } from "./probe.ts";

type Awaitable<T> = T | Promise<T>;

export interface ProcessInspector {
  inspect(pane: PaneProcess): Awaitable<PaneInspection>;
  /** Start time of a process, which with the pid identifies it; undefined when it is gone. */
  startTime(pid: number): Awaitable<string | undefined>;
  /** How a process ended that its parent has not collected yet; absent where that is unknown. */
  ending?(pid: number): Ending | undefined;
  /** Program image of a process, another after each exec; undefined where it is unknown. */
  image(pid: number): Awaitable<string | undefined>;
  /** Number of voluntary sleeps of its main thread; undefined where the system does not count them. */
  sleeps(pid: number): Awaitable<number | undefined>;
  /** Age of a process (ms); undefined where that can't be known. */
  ageMs(pid: number): Awaitable<number | undefined>;
  /** The ports that the pane's programs listen on; undefined or absent where that is unknown. */
  listening?(pane: PaneProcess): Awaitable<readonly ListeningPort[] | undefined>;
  /** Programs that listen on a port of the machine; undefined or absent where that is unknown. */
  taken?(port: number): Awaitable<readonly TakenPort[] | undefined>;
  /** True if a shell has a file open, such as a start-up file or script it reads; absent where that is unknown. */
  readsFile?(pid: number): boolean;
  /** True if a process has read part of a file that it has open for reading; absent where that is unknown. */
  readsScript?(pid: number): boolean;
  /** True if what a process writes to a descriptor can't be shown: it is closed or a file; absent where that is unknown. */
  discards?(pid: number, fd: number): boolean;
  /** True if bash is in a builtin, as in `read -e`; undefined or absent where that is unknown. */
  runsBuiltin?(pid: number): boolean | undefined;
  /**
   * The read that a process sleeps in; `awake` where it is in none, undefined where that is hidden, absent where it
   * is unknown.
   */
  sleep?(pid: number): ReadSleep | "awake" | undefined;
  /** True if a process blocks SIGCHLD, as zsh does while it runs a command. */
  blocksChildren?(pid: number): boolean;
}

/** Identity of one wait of a program. */
export interface ReadSleep {
  /** Bytes asked for by the read(2) that it sleeps in; absent in any other call. */
  readonly wantedBytes?: number;
  /** Bytes of its stack in use; absent where the kernel hides its beginning. */
  readonly depth?: number;
  /** The program's file. */
  readonly program: string;
}
