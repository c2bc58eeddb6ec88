// A simple command in shell text, and the state for reading commands.
import type { HereDocuments } from "./here_documents.ts";
import type { Numbers } from "./numbers.ts";
import { unreadable } from "./scanner.ts";
import type { Word, WordReading } from "./word_reading.ts";

export interface Statement {
  /** Source text, with assignments and redirections; empty for `for` and `${x:=…}` with an ordinary name. */
  readonly source: string;
  /** Offsets in the source: of the name, and of the `=` of each assignment before it. Absent if it is no command. */
  readonly named?: { readonly from: number; readonly to: number; readonly equals: readonly number[] };
  /** Name of the command: empty if it only assigns or redirects, undefined if it depends on an expansion. */
  readonly name: string | undefined;
  /** Words without quotes, the name first; undefined for a word that depends on an expansion. */
  readonly words: readonly (string | undefined)[];
  /** Variables that it sets; undefined for one that depends on an expansion. */
  readonly assigns: readonly (string | undefined)[];
  /** Text that it reads from here-documents and other redirections; undefined if unknown. */
  readonly inputs: readonly (readonly (string | undefined)[])[];
  /** True if it reads, or may read, another command's output; a function's input is known only where it is called. */
  readonly piped: boolean;
  /** True if a word has an expansion outside quotes, which most shells may split into several words. */
  readonly splits: boolean;
}

/** Maximum number of commands in a text, each of which is matched against every pattern. */
export const MOST_COMMANDS = 5000;

/** Records that the statements from this one on may read the output of another command. */
export function pipe(statements: Statement[], first: number): void {
  for (let at = first; at < statements.length; at++) statements[at] = { ...statements[at]!, piped: true };
}

/** State for reading the commands of a text; it collects the statements. */
export interface CommandReading extends WordReading {
  readonly statements: Statement[];
  readonly numbers: Numbers;
  readonly documents: HereDocuments;
}

export interface Assignment {
  readonly name: string;
  /** Offset of its `=` in the text. */
  readonly equals: number;
  readonly numeric: boolean;
  /** `name=(…)`. */
  readonly array: boolean;
  readonly value: Word | undefined;
}

export interface SimpleCommand {
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
  /** Assignments among its words, as with `export` and the like. */
  readonly declared: readonly (Assignment | undefined)[];
}

/** Builtins that run the builtin among their words. */
const PREFIXES = /^(?:command|builtin|exec|noglob|nocorrect|-)$/;

/** Maximum number of such builtins, each of which repeats the words after it. */
const MOST_PREFIXES = 10;

/** A command, and those that it runs as a prefix of them. */
export function commandsIn(command: SimpleCommand): SimpleCommand[] {
  const commands: SimpleCommand[] = [];
  for (let next: SimpleCommand | undefined = command; next !== undefined; next = prefixedBy(next)) {
    if (commands.length > MOST_PREFIXES) throw unreadable(`it has more than ${MOST_PREFIXES} prefixes`);
    commands.push(next);
  }
  return commands;
}

function prefixedBy({ words, declared }: SimpleCommand): SimpleCommand | undefined {
  if (!PREFIXES.test(words[0]?.name ?? "")) return undefined;
  const takes = (at: number): boolean => words[0]!.name === "exec" && /^-\w*a$/.test(words[at]!.value ?? "");
  const at = words.findIndex(({ value }, index) =>
    index > 0 && value !== undefined && !/^-./.test(value) && !takes(index - 1)
  );
  return at < 0 ? undefined : { assignments: [], words: words.slice(at), declared: declared.slice(at) };
}
