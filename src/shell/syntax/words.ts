// Reads the words of a command line, and accepts only what all possible shells read as the same word.
import { readExpansion } from "./expansions.ts";
import { unreadable } from "./scanner.ts";
import { mayBe, type Word, type WordPart, type WordReading } from "./word_reading.ts";

const END = /[\s;&|<>()]|$/y;
/** `&` that more of a word follows. */
const AMPERSAND = /&(?![\s;&|<>()]|$)/y;
const PLAIN = /[\w./:,@%+^\]-]+/y;
const BRACES = /\{(?:[\w.,/*:=@%+-]|\{[\w.,/*:=@%+-]*\})*\}/y;
// deno-lint-ignore no-control-regex -- all that is not ASCII
const NOT_ASCII = /[^\x00-\x7f]+/y;
/** `*(…)`, which is one pattern in bash, or an error. */
const EXTENDED = /[*?+@!]\([^()$`"\\\n]*\)/y;
/** `\rm`, which bypasses an alias. */
const UNALIASED = /^\\[A-TV-WYZa-tv-wyz_]\w*$/;
/** `[` that is followed by something that would be run. */
const SUBSCRIPT = /\[[^\][]*(?:\$[({[]|`)/;
/** In quotes too, `$@` is as many words as it holds. */
const LIST = /\$(?:@|\{@|\{\w+\[@\])/;
const INTEGER = /^-?\d+$/;

/** Reads the word that begins here; undefined if none does. */
export function readWord(reading: WordReading): Word | undefined {
  const { scanner } = reading;
  const from = scanner.at;
  if (scanner.here === "#" && reading.comments) return undefined;
  const parts: WordPart[] = [];
  let odd = false;
  while (scanner.peek(END) === undefined || startsSubstitution(reading, from)) {
    const start = scanner.at;
    const part = readPart(reading, parts.at(-1));
    odd ||= isOdd(scanner.from(start)) || parts.length > 0 && /[~#]/.test(scanner.text[start]!);
    parts.push(part);
  }
  if (scanner.here === "(" && scanner.at > from) throw unreadable("a ( is inside a word");
  if (scanner.at > from && scanner.peek(AMPERSAND) !== undefined && mayBe(reading, "fish")) {
    throw unreadable("a & inside a word is an ordinary character to fish");
  }
  return scanner.at === from ? undefined : wordOf(reading, { source: scanner.from(from), parts, odd });
}

/** True for `<(…)`, which is a word, and fish's `(…)`, which may be a part of one. */
function startsSubstitution({ scanner, shell }: WordReading, from: number): boolean {
  return scanner.here === "("
    ? shell === "fish"
    : scanner.at === from && scanner.peek(/[<>]\(/y) !== undefined;
}

/** True for a command name that a shell would match against files, expand, or read as more than a name. */
function isOdd(source: string): boolean {
  return /^[*?[\]{}=!]/.test(source) || /^\\[A-Za-z0-9]/.test(source) || /^[^ -~]/.test(source) ||
    /[[\]^]/.test(source) && !/^['"\\]/.test(source);
}

function wordOf(
  { shell }: WordReading,
  { source, parts, odd }: { source: string; parts: readonly WordPart[]; odd: boolean },
): Word {
  const known = parts.map(({ text, pattern }) => text ?? pattern ?? "").join("");
  if (SUBSCRIPT.test(known)) throw unreadable("a subscript runs a command when it is evaluated");
  const bracket = /^\]?$|^\[\[?$|^\]\]$/.test(source);
  const plain = bracket || parts.every(({ text }) => text !== undefined) &&
      !(/^=(?![=~]?$)/.test(source) && (shell === "zsh" || shell === "unknown"));
  const value = plain ? (bracket ? source : known) : undefined;
  const named = bracket || UNALIASED.test(source) || !odd && !/=|^[!%]|.:$/.test(known);
  return {
    source,
    value,
    name: named ? value : undefined,
    numeric: INTEGER.test(value ?? "") || parts.length === 1 && parts[0]!.numeric === true,
    splits: parts.some(({ splits }) => splits === true),
  };
}

function readPart(reading: WordReading, last: WordPart | undefined): WordPart {
  const { scanner } = reading;
  const plain = scanner.take(PLAIN);
  if (plain !== undefined) return { text: plain[0], plain: true };
  switch (scanner.here) {
    case "'":
      return { text: readSingleQuotes(reading) };
    case '"':
      return readDoubleQuotes(reading);
    case "$":
      return readExpansion(reading, { quoted: false });
    case "`":
      return readBackquotes(reading);
    case "\\":
      return { text: readEscape(reading) };
    case "#":
      return readHash(reading, last);
    case "{":
    case "}":
      return readBraces(reading);
    case "<":
    case ">":
    case "(":
      return readParentheses(reading);
    default:
      return readOther(reading);
  }
}

function readOther({ scanner, shell }: WordReading): WordPart {
  if (shell === "bash" && scanner.take(EXTENDED) !== undefined) return { text: undefined };
  const pattern = scanner.take(/[*?[]/y)?.[0];
  if (pattern !== undefined) return { text: undefined, pattern };
  if (scanner.peek(/~\[/y) !== undefined) throw unreadable("~[ calls a function in zsh");
  const other = scanner.take(NOT_ASCII) ?? scanner.take(/[~=!]/y);
  if (other === undefined) throw unreadable(`it holds ${JSON.stringify(scanner.here)}`);
  return { text: other[0], plain: other[0] === "=" };
}

/** Reads a `#` inside a word. After other than plain characters, some shells and parsers take it as a comment. */
function readHash({ scanner }: WordReading, last: WordPart | undefined): WordPart {
  if (last !== undefined && last.plain !== true) throw unreadable("a # begins a comment in some shells");
  scanner.at++;
  return { text: "#", plain: true };
}

function readBraces({ scanner }: WordReading): WordPart {
  const braces = scanner.take(BRACES);
  if (braces === undefined || scanner.peek(/[<>]/y)) throw unreadable("a brace is inside a word");
  return { text: /,|\.\./.test(braces[0]) ? undefined : braces[0] };
}

function readParentheses(reading: WordReading): WordPart {
  const { scanner } = reading;
  const open = scanner.take(/[<>]?\(/y)![0];
  reading.readInside(")", open === ">(");
  scanner.at++;
  if (scanner.here === "[") throw unreadable("fish reads a [ after (…) as an index");
  return { text: undefined };
}

/** Reads single quotes. fish reads backslashes before the closing quote as part of the text. */
function readSingleQuotes({ scanner, shell, pending }: WordReading): string | undefined {
  const quoted = scanner.take(/'([^']*)'/y);
  if (quoted === undefined) throw unreadable("a ' is not closed");
  const inside = quoted[1]!;
  if (pending && inside.includes("\n")) throw unreadable("a quote spans the start of a here-document");
  const fish = shell === "fish" || shell === "unknown";
  if (fish && /(?:^|[^\\])(?:\\\\)*\\$/.test(inside)) throw unreadable("fish reads \\' inside single quotes");
  return fish && /\\\\/.test(inside) ? undefined : inside;
}

function readEscape({ scanner, shell }: WordReading): string | undefined {
  const escaped = scanner.take(/\\([^\n])/yu);
  if (escaped === undefined) throw unreadable("a backslash ends a line within a word");
  const known = shell !== "fish" && shell !== "unknown" || !/[A-Za-z0-9]/.test(escaped[1]!) ||
    UNALIASED.test(escaped[0]) && !/\w/.test(scanner.text[scanner.at - 3] ?? "");
  return known ? escaped[1] : undefined;
}

/** Reads double quotes, whose text is plain except for expansions. */
function readDoubleQuotes(reading: WordReading): WordPart {
  const { scanner } = reading;
  const parts: (string | undefined)[] = [];
  const from = scanner.at++;
  while (!scanner.skip('"')) {
    if (scanner.done) throw unreadable('a " is not closed');
    parts.push(readQuoted(reading));
  }
  return {
    text: parts.includes(undefined) ? undefined : parts.join(""),
    splits: LIST.test(scanner.from(from)),
  };
}

function readQuoted(reading: WordReading): string | undefined {
  const { scanner, pending } = reading;
  const plain = scanner.take(/[^$`"\\\n]+/y);
  if (plain !== undefined) return plain[0];
  if (scanner.here === "$") return readExpansion(reading, { quoted: true }).text;
  if (scanner.here === "`") return readBackquotes(reading).text;
  if (scanner.skip("\n")) {
    if (pending) throw unreadable("a quote spans the start of a here-document");
    return "\n";
  }
  if (scanner.peek(/\\\n/y) !== undefined) {
    if (!/[ \t]/.test(scanner.before)) throw unreadable("a backslash continues a word in the next line");
    scanner.at += 2;
    return "";
  }
  const escaped = scanner.take(/\\([^])/y);
  if (escaped === undefined) throw unreadable("a backslash is at the end");
  return /[$`"\\]/.test(escaped[1]!) ? escaped[1] : escaped[0];
}

/** Reads backquotes. Shells read quotes and escapes in them differently; to fish a backquote is ordinary. */
function readBackquotes(reading: WordReading): WordPart {
  if (mayBe(reading, "fish")) throw unreadable("a backquote is an ordinary character to fish");
  const { scanner } = reading;
  if (scanner.peek(/`[^'"\\`(){}#<\n]*`/y) === undefined) {
    throw unreadable("backquotes contain more than plain commands: write $(…)");
  }
  const inside = scanner.take(/`([^`]*)`/y)![1]!;
  reading.child(inside).readInside("");
  return { text: undefined, splits: true };
}
