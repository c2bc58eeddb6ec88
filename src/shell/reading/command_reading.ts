// A simple command as a reader of shell text sees it, and the state in which commands are read.
import type { HereDocuments } from "./here_documents.ts";
import type { Numbers } from "./numbers.ts";
import type { Word, WordReading } from "./word_reading.ts";

export interface Statement {
  /** As written, with its assignments and redirections; empty for what only sets a variable. */
  readonly source: string;
  /** The command's name: empty if it only assigns or redirects, undefined if that depends on an expansion. */
  readonly name: string | undefined;
  /** Its words without quotes, the name first; undefined for a word that depends on an expansion. */
  readonly words: readonly (string | undefined)[];
  /** Variables it sets; undefined for one that depends on an expansion. */
  readonly assigns: readonly (string | undefined)[];
  /** Text it reads from here-documents and other redirections; undefined if one is unknown. */
  readonly inputs: readonly (readonly (string | undefined)[])[];
  /** True if it reads, or may read, what another command prints: a function is called where it is not written. */
  readonly piped: boolean;
  /** One of its words holds an expansion outside quotes: in most shells it may be several. */
  readonly splits: boolean;
}

/** Notes that the statements from this one on may read what another command prints. */
export function pipe(statements: Statement[], first: number): void {
  for (let at = first; at < statements.length; at++) statements[at] = { ...statements[at]!, piped: true };
}

/** Collector of a text's statements. */
export interface CommandReading extends WordReading {
  readonly statements: Statement[];
  readonly numbers: Numbers;
  readonly documents: HereDocuments;
}

export interface Assignment {
  readonly name: string;
  readonly numeric: boolean;
  /** `name=(…)`. */
  readonly array: boolean;
  readonly value: Word | undefined;
}

export interface SimpleCommand {
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
  /** Assignments among its words: what `export` and its like are given. */
  readonly declared: readonly (Assignment | undefined)[];
}

/** Builtins that run the builtin among their words. */
const PREFIXES = /^(?:command|builtin|exec|noglob|nocorrect|-)$/;

/** A command, and those that it runs as a prefix of them. */
export function commandsIn(command: SimpleCommand): SimpleCommand[] {
  const { words, declared } = command;
  if (!PREFIXES.test(words[0]?.name ?? "")) return [command];
  const takes = (at: number): boolean => words[0]!.name === "exec" && /^-\w*a$/.test(words[at]!.value ?? "");
  const at = words.findIndex(({ value }, index) =>
    index > 0 && value !== undefined && !/^-./.test(value) && !takes(index - 1)
  );
  if (at < 0) return [command];
  return [command, ...commandsIn({ assignments: [], words: words.slice(at), declared: declared.slice(at) })];
}
