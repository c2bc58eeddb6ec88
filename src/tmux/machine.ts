// The machine that a tmux server runs on: facts that tools need and tmux does not report.

import type { WaitDepths } from "../process/probe.ts";
import type { ProcessInspector } from "../process/process_inspector.ts";

export interface Machine {
  /** Name in the configuration; absent for this machine. */
  readonly host?: string;
  /** Path of tmux, which a shell need not find there; absent if it is looked up on this machine. */
  readonly tmux?: string | undefined;
  /** Returns the command line with which a person here runs a command on that machine; absent for this machine. */
  reach?(line: string): string;
  /** Inspects the programs in panes through the machine's kernel. */
  readonly inspector: ProcessInspector;
  /**
   * Measures where a shell waits, in a copy of the program that it runs (`ReadSleep.program`); nothing if the user's
   * own `PATH` does not lead to that program. Absent where it is not possible.
   */
  measureShell?(shell: string, program: string): Promise<readonly WaitDepths[]>;
  /** Version that `tmux -V` prints there. */
  version(): Promise<string>;
  /** Paths of possible tmux sockets there. */
  sockets(): Promise<string[]>;
  /** True if the path has a file that is not a socket, which a tmux server that starts there would replace. */
  wouldReplaceFile(socketPath: string): Promise<boolean>;
  /** Environment for a tmux server that is started there. */
  environment(): Promise<Readonly<Record<string, string>>>;
  absolutePath(path: string): Promise<string>;
  /** Returns a folder's absolute path; undefined if there is no such folder. */
  folder(path: string): Promise<string | undefined>;
  /**
   * Creates a file that only its owner can read, unless it exists, and returns its absolute path.
   * @throws {AppError} `not-found` for a missing folder, `denied`, `invalid-argument`
   */
  ensurePrivateFile(path: string): Promise<string>;
  /** Returns the bytes of a regular file by its absolute path; undefined for anything else, or if it can't be seen. */
  fileSize(path: string): Promise<number | undefined>;
  /** Sends SIGTERM to a process, unless it is gone; its start time tells it from a later one with its pid. */
  terminate(pid: number, startTime: string): Promise<void>;
  /** Writes bytes to a terminal without waiting; returns how many it took, `undefined` if the terminal is not ours. */
  writeTerminal(path: string, bytes: Uint8Array): Promise<number | undefined>;
}
