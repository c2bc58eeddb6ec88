// Reads a text as one kind of shell would, and collects its commands.
import { readList } from "./compound_commands.ts";
import { readFishList } from "./fish_commands.ts";
import { HereDocuments } from "./here_documents.ts";
import { Numbers } from "./numbers.ts";
import { Scanner, unreadable } from "./scanner.ts";
import { type CommandReading, pipe, type Statement } from "./command_reading.ts";
import type { ShellKind } from "../shell_kind.ts";

/** Maximum nesting; shells' parsers and this one recurse at each level. */
const DEEPEST = 50;

/** Names that no shell gives a meaning, apart from those that are listed as able to run code. */
const ORDINARY = /[a-z]|^.$/;

interface Outer {
  readonly shell: ShellKind;
  readonly comments: boolean;
  readonly statements?: Statement[];
  readonly numbers?: Numbers;
  readonly depth?: number;
}

export class TextReading implements CommandReading {
  readonly scanner: Scanner;
  readonly shell: ShellKind;
  readonly comments: boolean;
  readonly statements: Statement[];
  readonly numbers: Numbers;
  readonly documents = new HereDocuments();
  /** Number of open groups, loops, functions, substitutions and `${…}`. */
  #depth: number;
  /** True inside a substitution. */
  #nested: boolean;

  constructor(text: string, { shell, comments, statements = [], numbers = new Numbers(), depth = 0 }: Outer) {
    this.scanner = new Scanner(text);
    this.shell = shell;
    this.comments = comments;
    this.statements = statements;
    this.numbers = numbers;
    this.#depth = depth;
    this.#nested = depth > 0;
  }

  get nested(): boolean {
    return this.#nested;
  }

  get pending(): boolean {
    return this.documents.pending;
  }

  /** Returns every simple command of the text. */
  read(): readonly Statement[] {
    this.readInside("");
    this.documents.checkEnded();
    this.numbers.check();
    return this.statements;
  }

  readInside(close: string, piped = false): void {
    const first = this.statements.length;
    const nested = this.#nested;
    this.#nested ||= close !== "";
    this.deeper(() => {
      if (this.shell === "fish") readFishList(this, close);
      else readList(this, [close]);
    });
    this.#nested = nested;
    if (piped) pipe(this.statements, first);
  }

  deeper(read: () => void): void {
    if (++this.#depth > DEEPEST) throw unreadable("it is nested too deeply");
    read();
    this.#depth--;
  }

  child(text: string): TextReading {
    return new TextReading(text, {
      shell: this.shell,
      comments: this.comments,
      statements: this.statements,
      numbers: this.numbers,
      depth: this.#depth,
    });
  }

  evaluates(name: string): void {
    this.numbers.evaluate(name);
  }

  sets(name: string, numbers: "spoiled" | "kept", source: string): void {
    if (numbers === "spoiled") this.numbers.assign(name);
    this.statements.push({
      source: ORDINARY.test(name) ? "" : source,
      name: "",
      words: [],
      assigns: [name],
      inputs: [],
      piped: false,
      splits: false,
    });
  }
}
