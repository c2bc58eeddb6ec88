// Rows of the truth table, and the words they are written with.

import type { InputKind } from "../../src/process/classify.ts";

export interface Program {
  readonly name: string;
  /** Run without a shell around it. */
  readonly argv?: readonly string[];
  /** Or typed into an interactive bash. */
  readonly typed?: string;
  /** A key pressed once the program waits. */
  readonly then?: string;
  readonly kind: InputKind;
  /** Pattern of the evidence: for `none` it shows that the program is where it should be. */
  readonly evidence: RegExp;
  /** The kind where Yama hides system calls, if that differs. */
  readonly guarded?: InputKind;
  /** On a host it is judged otherwise then: no shell can ask if a terminal is full, or asks which sockets are local. */
  readonly differsOnHost?: boolean;
  /** Only where the pane is root's, or only where it is somebody else's. */
  readonly user?: "root" | "other";
  readonly cmd?: string;
  readonly shell?: string;
}

export const sh = (command: string): readonly string[] => ["sh", "-c", command];
export const py = (...lines: string[]): readonly string[] => ["python3", "-c", lines.join("\n")];
export const su = (command: string, ...options: string[]): readonly string[] => [
  "su",
  "nobody",
  "-s",
  "/bin/sh",
  ...options,
  "-c",
  command,
];
export const js = (code: string): readonly string[] => ["node", "-e", code];

export const READ = /^read\(\d+\) on \/dev\/pts/;
export const SELECT = /^p?select6? on \/dev\/pts/;
export const POLL = /^p?poll on \/dev\/pts/;
export const EPOLL = /^epoll on \/dev\/pts/;
export const ANY = /on \/dev\/pts/;
