// Variables of a text that hold only numbers, as arithmetic runs the `$(…)` in what any other holds; and lists.
import { unreadable } from "./scanner.ts";

/** Variables that are integers in some shell, so that what is assigned is evaluated. */
const INTEGERS = new Set(
  `RANDOM SRANDOM SECONDS LINENO OPTIND HISTCMD HISTSIZE SAVEHIST BASHPID EPOCHSECONDS EPOCHREALTIME PPID UID EUID GID
  EGID GROUPS MAILCHECK TMOUT COLUMNS LINES LISTMAX KEYTIMEOUT FUNCNEST SHLVL BAUD LOGCHECK REPORTTIME REPORTMEMORY
  TRY_BLOCK_ERROR TRY_BLOCK_INTERRUPT TTYIDLE ERRNO DIRSTACKSIZE COMP_CWORD COMP_POINT JOBMAX PGRP PIPESTATUS USER_ID
  KSHUID KSHGID KSHEGID ARGC ZSH_SUBSHELL status`.split(/\s+/),
);

export class Numbers {
  /** Set to a number by a statement that has run, where they are asked for. */
  readonly #known = new Set<string>();
  readonly #evaluated = new Set<string>();
  readonly #others = new Set<string>();

  readonly #lists = new Set<string>();

  /** A variable is an array, in whichever function. */
  list(name: string): void {
    this.#lists.add(/^\w*/.exec(name)![0]);
  }

  isList(name: string): boolean {
    return this.#lists.has(name);
  }

  /** A variable is set to a number, for all that follows. */
  know(name: string): void {
    this.#known.add(name);
  }

  /** A loop that sets it to numbers has ended. */
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

  /** A variable may hold anything. */
  spoil(name: string): void {
    this.#others.add(name);
  }

  /** @throws {AppError} where arithmetic evaluates a variable that was not set to a number before. */
  evaluate(name: string): void {
    if (!this.#known.has(name)) throw evaluates(name);
    this.#evaluated.add(name);
  }

  /** @throws {AppError} where what is evaluated may hold something else, set later and come back to. */
  check(): void {
    for (const name of this.#evaluated) if (this.#others.has(name)) throw evaluates(name);
  }
}

function evaluates(name: string): Error {
  return unreadable(`arithmetic evaluates what ${name} holds`);
}
