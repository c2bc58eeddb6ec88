// Tracks the variables of a text that hold only numbers, because arithmetic runs a `$(…)` in any other; and
// those that are lists.
import { unreadable } from "./scanner.ts";

/** Variables that are integers in some shell, so that assigned values are evaluated. */
const INTEGERS = new Set(
  `RANDOM SRANDOM SECONDS LINENO OPTIND HISTCMD HISTSIZE SAVEHIST BASHPID EPOCHSECONDS EPOCHREALTIME PPID UID EUID GID
  EGID GROUPS MAILCHECK TMOUT COLUMNS LINES LISTMAX KEYTIMEOUT FUNCNEST SHLVL BAUD LOGCHECK REPORTTIME REPORTMEMORY
  TRY_BLOCK_ERROR TRY_BLOCK_INTERRUPT TTYIDLE ERRNO DIRSTACKSIZE COMP_CWORD COMP_POINT JOBMAX PGRP PIPESTATUS USER_ID
  KSHUID KSHGID KSHEGID ARGC ZSH_SUBSHELL status`.split(/\s+/),
);

export class Numbers {
  /** Variables that a statement before this point has set to a number. */
  readonly #known = new Set<string>();
  readonly #evaluated = new Set<string>();
  readonly #others = new Set<string>();
  readonly #lists = new Set<string>();

  /** Records that a variable is a list, in any function. */
  list(name: string): void {
    this.#lists.add(/^\w*/.exec(name)![0]);
  }

  isList(name: string): boolean {
    return this.#lists.has(name);
  }

  /** Records that a variable is set to a number from here on. */
  know(name: string): void {
    this.#known.add(name);
  }

  /** Records the end of a loop that sets a variable to numbers. */
  forget(name: string): void {
    this.#known.delete(name);
  }

  knows(name: string): boolean {
    return this.#known.has(name);
  }

  /** @throws {AppError} for a variable that the shell keeps as an integer */
  assign(name: string): void {
    if (INTEGERS.has(name)) throw unreadable(`${name} is evaluated when it is set`);
    this.spoil(name);
  }

  /** Records that a variable may hold anything. */
  spoil(name: string): void {
    this.#others.add(name);
  }

  /** @throws {AppError} if arithmetic evaluates a variable that wasn't set to a number before */
  evaluate(name: string): void {
    if (!this.#known.has(name)) throw evaluates(name);
    this.#evaluated.add(name);
  }

  /** @throws {AppError} if an evaluated variable may hold something else, set later in a loop or function */
  check(): void {
    for (const name of this.#evaluated) if (this.#others.has(name)) throw evaluates(name);
  }
}

function evaluates(name: string): Error {
  return unreadable(`arithmetic evaluates the value of ${name}`);
}
