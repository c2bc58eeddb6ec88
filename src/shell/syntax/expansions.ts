// Reads the parts of a word that begin with `$`: parameters, command substitutions, arithmetic, `$'…'`.
import { unreadable } from "./scanner.ts";
import { mayBe, type WordPart, type WordReading } from "./word_reading.ts";

/** Place of an expansion; `quoted` if it is in double quotes. */
interface ExpansionPlace {
  readonly quoted: boolean;
}

const NAME = /[A-Za-z_]\w*/y;
const SPECIAL = /[@*#?$!-]|\d/y;
/** Text before which a `$` is an ordinary character. */
const BEHIND_DOLLAR = /$|[\s/.,;|)%]/y;
const BEHIND_QUOTED_DOLLAR = /$|[\s/.,;|)%"']/y;
/** Text in `${x:-…}` and the like that means the same in every shell. */
const PLAIN = /[\w .,:/=+@%!?*^[\]-]+/y;
const ARITHMETIC = /[\w \t+*/%<>=!?:,-]+/y;

export function readExpansion(reading: WordReading, place: ExpansionPlace): WordPart {
  const { scanner } = reading;
  scanner.at++;
  switch (scanner.here) {
    case "(":
      return scanner.peek(/\(\(/y) ? readArithmetic(reading) : readSubstitution(reading);
    case "{":
      return { ...readParameter(reading), splits: !place.quoted };
    case "'":
      return place.quoted ? { text: "$" } : { text: readAnsiQuotes(reading) };
    default:
      return readName(reading, place);
  }
}

/** Reads `$name`, `$1`, `$?`, or a literal `$`. */
function readName({ scanner }: WordReading, { quoted }: ExpansionPlace): WordPart {
  const name = scanner.take(NAME);
  const special = name === undefined ? scanner.take(SPECIAL) : undefined;
  if (name === undefined && special === undefined) {
    if (scanner.peek(quoted ? BEHIND_QUOTED_DOLLAR : BEHIND_DOLLAR) !== undefined) return { text: "$" };
    throw unreadable(`shells read $${scanner.here} differently`);
  }
  if (scanner.peek(special === undefined ? /\[/y : /[\w[({$`]/y) !== undefined) {
    throw unreadable(`shells read ${scanner.from(scanner.at - 2)}${scanner.here} differently`);
  }
  return { text: undefined, splits: !quoted, numeric: /^[#?$!]$/.test(special?.[0] ?? "") };
}

function readSubstitution(reading: WordReading): WordPart {
  const { scanner } = reading;
  scanner.at++;
  reading.readInside(")");
  scanner.at++;
  if (scanner.here === "[") throw unreadable("fish reads a [ after $(…) as an index");
  return { text: undefined, splits: true };
}

/** Reads arithmetic. A name in it stands for its evaluated value, which must be a number that this text has set. */
function readArithmetic(reading: WordReading): WordPart {
  const { scanner } = reading;
  const from = scanner.at += 2;
  for (let open = 0; open > 0 || !scanner.peek(/\)\)/y);) {
    if (scanner.skip("(")) open++;
    else if (open > 0 && scanner.skip(")")) open--;
    else if (scanner.here === "$") readArithmeticName(reading);
    else if (scanner.take(ARITHMETIC) === undefined) throw mixed();
  }
  const inside = scanner.from(from).replaceAll(/\$\{?#?\w+|\b\d\w*/g, "");
  for (const name of inside.match(/[A-Za-z_]\w*/g) ?? []) reading.evaluates(name);
  scanner.at += 2;
  return { text: undefined, numeric: true };
}

function readArithmeticName(reading: WordReading): void {
  const found = reading.scanner.take(/\$(?:([A-Za-z_]\w*)|\{(?:#?([A-Za-z_]\w*))\}|[#?$!](?![\w[({$]))/y);
  if (found === undefined) throw mixed();
  const name = found[1] ?? found[2];
  if (name !== undefined && !found[0].startsWith("${#")) reading.evaluates(name);
}

function mixed(): Error {
  return unreadable("arithmetic contains more than numbers, names and + - * / % < > = ! ? :");
}

/** Reads `${…}`, with an operator that means the same in every shell that knows it. */
function readParameter(reading: WordReading): WordPart {
  const { scanner } = reading;
  const from = scanner.at++;
  const length = scanner.take(/#(?!\})/y) !== undefined;
  const name = (scanner.take(NAME) ?? scanner.take(/\d+|[@*#?]/y))?.[0];
  if (name === undefined) throw unreadable("${ is followed by more than a name");
  const all = scanner.take(/\[(?:[@*]|\d+)\]/y);
  if (length || all !== undefined && scanner.here === "}") return closed(reading, { numeric: length });
  const operator = scanner.take(/:?[-+=?]|##?|%%?|\/[/#%]?|\^\^?|,,?|(?=\})/y)?.[0];
  if (operator === undefined) {
    if (scanner.take(/:[ ]?-?\d+(?::\d+)?/y) === undefined) throw odd();
    return closed(reading, { numeric: false });
  }
  while (scanner.here !== "}") {
    if (scanner.here === "$") reading.deeper(() => void readExpansion(reading, { quoted: true }));
    else if (scanner.take(PLAIN) === undefined) throw odd();
  }
  if (/=$/.test(operator)) reading.sets(name, "spoiled", `$${scanner.from(from)}}`);
  return closed(reading, { numeric: name === "#" || name === "?" });
}

function closed({ scanner }: WordReading, { numeric }: { numeric: boolean }): WordPart {
  if (!scanner.skip("}")) throw odd();
  if (scanner.here === "[") throw unreadable("${…} is followed by [");
  return { text: undefined, numeric };
}

function odd(): Error {
  return unreadable("${…} contains more than a name, a plain operator and plain text");
}

/** Reads `$'…'`. dash doesn't know it: there, the quote begins after the `$`, and a backslash is ordinary. */
function readAnsiQuotes(reading: WordReading): string | undefined {
  const { scanner } = reading;
  const quoted = scanner.take(/'((?:[^'\\]|\\[^])*)'/y);
  if (quoted === undefined) throw unreadable("a $' is not closed");
  if (reading.pending && quoted[1]!.includes("\n")) {
    throw unreadable("a quote spans the start of a here-document");
  }
  if (!mayBe(reading, "sh", "fish")) return decodeAnsi(quoted[1]!);
  if (quoted[1]!.includes("'")) throw unreadable("$'…\\'' ends early in sh");
  return undefined;
}

const ANSI_LETTERS: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

const ANSI_ESCAPE =
  /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c(.)|([\s\S]))/g;

/** The text of `$'…'`; undefined if it contains NUL or a control escape, which shells read differently. */
function decodeAnsi(quoted: string): string | undefined {
  let known = true;
  const text = quoted.replaceAll(
    ANSI_ESCAPE,
    (_, hex?: string, short?: string, long?: string, octal?: string, control?: string, letter = "") => {
      const digits = hex ?? short ?? long;
      if (digits === undefined && octal === undefined) {
        known &&= control === undefined;
        return ANSI_LETTERS[letter] ?? letter;
      }
      const code = digits === undefined ? parseInt(octal!, 8) & 0xff : parseInt(digits, 16);
      known &&= code > 0 && code <= 0x10ffff;
      return String.fromCodePoint(Math.min(code, 0x10ffff));
    },
  );
  return known ? text : undefined;
}
