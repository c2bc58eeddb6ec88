// A word of a command line, and the state for reading words.
import type { Scanner } from "./scanner.ts";
import type { ShellKind } from "../shell_kind.ts";

export interface Word {
  readonly source: string;
  /** Text without quotes; undefined if it depends on an expansion, on files or on the shell. */
  readonly value: string | undefined;
  /** The value as a command name; also undefined if a shell may look for something else by that name. */
  readonly name: string | undefined;
  /** True if arithmetic in every shell reads it as a number: digits, the result of arithmetic, a length. */
  readonly numeric: boolean;
  /** True if it has an expansion outside quotes, which some shells split into words. */
  readonly splits: boolean;
}

/** State for reading the words of one text. */
export interface WordReading {
  readonly scanner: Scanner;
  readonly shell: ShellKind;
  /** True if `#` begins a comment, which it may not at zsh's prompt. */
  readonly comments: boolean;
  /** True inside a substitution. */
  readonly nested: boolean;
  /** True if a here-document begins at the end of this line. */
  readonly pending: boolean;
  /** Reads commands up to a closing character, which it leaves; `piped` if they read the output of another command. */
  readInside(close: string, piped?: boolean): void;
  /** Runs `read` one nesting level deeper. */
  deeper(read: () => void): void;
  /** Creates the state for reading another text as a part of this one. */
  child(text: string): WordReading;
  /** Records a variable that arithmetic evaluates. */
  evaluates(name: string): void;
  /** Records a variable that something other than a command sets: `for` or `${x:=…}`, whose text is `source`. */
  sets(name: string, numbers: "spoiled" | "kept", source: string): void;
}

/** True if one of these shells may be the one that reads the text. */
export function mayBe({ shell }: Pick<WordReading, "shell">, ...kinds: readonly ShellKind[]): boolean {
  return shell === "unknown" || kinds.includes(shell);
}

export interface WordPart {
  readonly text: string | undefined;
  /** The source text, if the value depends on files. */
  readonly pattern?: string;
  /** True for characters that every shell takes literally. */
  readonly plain?: boolean;
  readonly numeric?: boolean;
  readonly splits?: boolean;
}
