// Grammar of the tmux formats that policy accepts; anything else is refused.

export type FormatPiece = string | FormatExpression;

export interface FormatModifier {
  /** Name in tmux's manual: `=`, `s`, `m`, `?` for a condition, `#(` for a job. */
  readonly name: string;
  /** Named parts of its arguments, all of them constant. */
  readonly arguments: Readonly<Record<string, string | undefined>>;
}

/** `#{modifiers:branch,branch}`, `#{?branch,branch,branch}` or `#{variable}`. */
export interface FormatExpression {
  readonly modifiers: readonly FormatModifier[];
  /** Parts between commas. */
  readonly branches: readonly (readonly FormatPiece[])[];
  /** The variable, option or environment variable that the expression names, unless it is a template. */
  readonly variable?: string;
}

export class FormatSyntaxError extends Error {}

/** Character of an argument: not a format, and nothing that ends the argument. */
const ARGUMENT = "[^#{}:;]";
/** Character of the text that `s` puts in. tmux 3.6 and older read on after a backslash at its end; %p can be empty. */
const REPLACEMENT = "(?:[^#{}:;\\\\]|\\\\(?!\\k<edge>)[^#{}:;%])";
const NUMBER = "-?\\d{1,20}";
/** Maximum nesting that is read; tmux stops at 100. */
const DEEPEST = 100;

/** Every modifier that policy knows, as tmux writes it up to the next `;` or `:`: the names, and a pattern for the rest. */
const MODIFIERS: ReadonlyArray<readonly [name: string, pattern: RegExp]> = ([
  ["|| && !! != == <= >= ! < > l a b d n w E T R", ""],
  ["c", "(?:/[fb])?"],
  ["t", "(?:/p|/f/(?:[^#{}:;/]|#:)*/?)?"],
  ["q", "(?:/(?<quotes>[eha]))?"],
  [
    "=",
    `(?:(?<columns>${NUMBER})|(?<edge>[/|])(?:(?<limit>${NUMBER})|#\\{(?<from>@?[\\w-]+)\\})(?:\\k<edge>${ARGUMENT}*)?)`,
  ],
  ["p", `(?:(?<columns>${NUMBER})|[/|](?<limit>${NUMBER})[/|]?)`],
  [
    "e",
    "(?<edge>[/|])(?:[-+*/xm%]|[=!]=|[<>]=?)(?:\\k<edge>f?(?:\\k<edge>(?<digits>\\d{1,20}))?)?\\k<edge>?",
  ],
  ["m C", "(?:[/|](?<flags>[ri]*)[/|]?)?"],
  [
    "s",
    `(?<edge>[/|!@%^&~])(?<pattern>(?:(?!\\k<edge>)${ARGUMENT})*)\\k<edge>(?<with>(?:(?!\\k<edge>)${REPLACEMENT})*)(?:\\k<edge>(?<flags>i?)\\k<edge>?)?`,
  ],
  ["N", "(?:/[ws])?"],
  ["S W P L", "(?:/?[a-z]{1,3})?"],
] as const).flatMap(([names, rest]) =>
  names.split(" ").map((name) => [name, new RegExp(`${name.replaceAll("|", "\\|")}${rest}(?=[;:])`, "y")])
);

/** A variable, an option, a user option, or an environment variable. */
const VARIABLE = /(?:@[^\s#{}[\],;%]+|[A-Za-z_][\w-]*)(?:\[\d+\])?(?=[,}])/y;

/** Modifiers that take only templates; all others also take a variable. */
const OF_TEMPLATES = new Set("|| && !! != == <= >= ! < > l a c e m C R N S W P L ?".split(" "));

/** `#S` is `#{session_name}`. */
const ALIASES: Readonly<Record<string, string>> = {
  D: "pane_id",
  F: "window_flags",
  H: "host",
  I: "window_index",
  P: "pane_index",
  S: "session_name",
  T: "pane_title",
  W: "window_name",
  h: "host_short",
};

/** @throws {FormatSyntaxError} naming the part that can't be read */
export function parseFormat(text: string): FormatPiece[] {
  return new Parser(text).template("");
}

class Parser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Text and expressions up to one of these characters, or to the end. */
  template(stops: string): FormatPiece[] {
    const pieces: FormatPiece[] = [];
    while (this.#at < this.#text.length) {
      const here = this.#text[this.#at]!;
      if (stops.includes(here)) break;
      pieces.push(here === "#" ? this.#hash() : this.#take(1));
    }
    return pieces;
  }

  #take(length: number): string {
    return this.#text.slice(this.#at, this.#at += length);
  }

  #hash(): FormatPiece {
    const next = this.#text[this.#at + 1];
    // tmux 3.6 and older read on after the end, and expand what is there.
    if (next === undefined) throw new FormatSyntaxError('it ends with a single "#"');
    if (next === "{") {
      this.#at += 2;
      return this.#expression();
    }
    if (next === "(") return this.#job();
    const variable = ALIASES[next];
    const taken = this.#take(/[,#}:]/.test(next) || variable !== undefined ? 2 : 1);
    return variable === undefined ? taken : { modifiers: [], branches: [], variable };
  }

  /** `#(command)`, which may also end with the text. tmux expands the command before it runs it. */
  #job(): FormatExpression {
    const start = this.#at + 2;
    let open = 0;
    do {
      const here = this.#take(1);
      if (here === "(") open++;
      if (here === ")") open--;
    } while (this.#at < this.#text.length && (open > 0 || this.#text[this.#at - 1] === "#"));
    const command = open > 0 ? "" : this.#text.slice(start, this.#at - 1);
    return { modifiers: [{ name: "#(", arguments: {} }], branches: [parseFormat(command)] };
  }

  #expression(): FormatExpression {
    if (++this.#depth > DEEPEST) {
      throw new FormatSyntaxError(`"#{" is nested more than ${DEEPEST} levels deep`);
    }
    const start = this.#at - 2;
    const modifiers = this.#modifiers();
    const variable = modifiers.some(({ name }) => OF_TEMPLATES.has(name)) ? undefined : this.#variable();
    const branches = variable === undefined ? this.#branches(modifiers) : [];
    if (this.#take(1) !== "}") throw new FormatSyntaxError('"#{" is not closed');
    // Without modifiers, it is a variable or a template, and a template contains an expression.
    if (modifiers.length === 0 && variable === undefined && this.#text[start + 2] !== "#") {
      throw new FormatSyntaxError(
        `"${this.#text.slice(start, start + 40)}" has no modifier or variable known here`,
      );
    }
    this.#depth--;
    return { modifiers, branches, ...(variable !== undefined && { variable }) };
  }

  #branches([first]: readonly FormatModifier[]): FormatPiece[][] {
    const condition = first?.name === "?" ? this.#condition() : undefined;
    const branches = [condition ?? this.template(",}")];
    while (this.#text[this.#at] === ",") {
      this.#at++;
      branches.push(this.template(",}"));
    }
    return branches;
  }

  /** The condition of `?`, which can be a variable's bare name. */
  #condition(): FormatPiece[] | undefined {
    const variable = this.#match(VARIABLE)?.[0];
    return variable === undefined ? undefined : [{ modifiers: [], branches: [], variable }];
  }

  /** Modifiers before the colon; empty if tmux would find none. */
  #modifiers(): FormatModifier[] {
    if (this.#text[this.#at] === "?") {
      this.#at++;
      return [{ name: "?", arguments: {} }];
    }
    const start = this.#at;
    const modifiers: FormatModifier[] = [];
    for (;;) {
      const modifier = this.#modifier();
      if (modifier === undefined) break;
      modifiers.push(modifier);
      if (this.#take(1) === ":") return modifiers;
    }
    this.#at = start;
    return [];
  }

  #modifier(): FormatModifier | undefined {
    for (const [name, pattern] of MODIFIERS) {
      const found = this.#match(pattern);
      if (found !== undefined) return { name, arguments: found.groups ?? {} };
    }
    return undefined;
  }

  #variable(): string | undefined {
    const start = this.#at;
    const found = this.#match(VARIABLE)?.[0];
    if (this.#text[this.#at] === "}") return found;
    this.#at = start;
    return undefined;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }
}
