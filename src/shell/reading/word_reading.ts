// A word of a command line, and the state in which words are read.
import type { Scanner } from "./scanner.ts";
import type { ShellKind } from "../shell_kind.ts";

export interface Word {
  readonly source: string;
  /** Without quotes; undefined where it depends on an expansion, on files or on the shell. */
  readonly value: string | undefined;
  /** The value as a command's name: undefined also where a shell may look for something else by it. */
  readonly name: string | undefined;
  /** A number to arithmetic, whatever the shell: digits, the outcome of arithmetic, a length. */
  readonly numeric: boolean;
  /** Holds an expansion outside quotes, which some shells split into words. */
  readonly splits: boolean;
}

/** State for reading the words of one text. */
export interface WordReading {
  readonly scanner: Scanner;
  readonly shell: ShellKind;
  /** True if `#` begins a comment: at zsh's prompt it may not. */
  readonly comments: boolean;
  /** Stands inside a substitution. */
  readonly nested: boolean;
  /** A here-document waits for the end of the line. */
  readonly pending: boolean;
  /** Reads commands up to a closing character, which it leaves; `piped` if they read what another prints. */
  readInside(close: string, piped?: boolean): void;
  /** Reads what stands one level deeper. */
  deeper(read: () => void): void;
  /** Reads another text as a part of this one. */
  child(text: string): WordReading;
  /** Notes a variable that arithmetic evaluates. */
  evaluates(name: string): void;
  /** Notes a variable that is set by something other than an assignment. */
  sets(name: string, numbers: "spoiled" | "kept"): void;
}

/** True if a shell may be the one that reads. */
export function mayBe({ shell }: Pick<WordReading, "shell">, ...kinds: readonly ShellKind[]): boolean {
  return shell === "unknown" || kinds.includes(shell);
}

/** Value of a part of a word. */
export interface WordPart {
  readonly text: string | undefined;
  /** The source text, if the value depends on files. */
  readonly pattern?: string;
  /** Characters that stand for themselves in every shell. */
  readonly plain?: boolean;
  readonly numeric?: boolean;
  readonly splits?: boolean;
}
