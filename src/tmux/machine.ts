// The machine that a tmux server runs on: what tools need to know about it beyond what tmux reports.

import type { ProcessInspector } from "../process/process_inspector.ts";

export interface Machine {
  /** Its name in the configuration; absent for this one. */
  readonly host?: string;
  /** Command line with which a person here runs a command on that machine; absent for this one. */
  reach?(line: string): string;
  /** Inspects the programs in panes through its kernel. */
  readonly inspector: ProcessInspector;
  /** Version from `tmux -V` there. */
  version(): Promise<string>;
  /** The paths of what may be tmux servers' sockets there. */
  sockets(): Promise<string[]>;
  /** True if a path has a file that is not a socket: a tmux server that starts there would replace it. */
  wouldReplaceFile(socketPath: string): Promise<boolean>;
  /** The environment of a tmux server that is started there. */
  environment(): Promise<Readonly<Record<string, string>>>;
  /** The absolute path of a file there. */
  absolutePath(path: string): Promise<string>;
  /** A folder's absolute path; undefined when there is no such folder. */
  folder(path: string): Promise<string | undefined>;
  /**
   * Makes a file that only its owner can read where there is none yet, and returns its absolute path.
   * @throws {AppError} `not-found` for a folder that is not there, `denied`, `invalid-argument`
   */
  ensurePrivateFile(path: string): Promise<string>;
  /** Writes bytes to a terminal without waiting; returns how many it took, `undefined` where it is not ours. */
  writeTerminal(path: string, bytes: Uint8Array): Promise<number | undefined>;
}
