// What a word of a command line comes to, as far as that can be known without running it.
import type { LitNode, Node, QuotedNode, WordNode } from "./grammar.ts";

/** The word with quotes taken off and escapes resolved; undefined where it holds an expansion. */
export function findValue(word: WordNode): string | undefined {
  return joined(word.Parts.map((part) => partValue(part)));
}

/**
 * The word as a command's name: undefined also where a shell would look for files, expand braces, or where
 * shells differ on what an escape means (`\x6d` is `m` in fish), or on where it begins (`&!c` is `& c` in zsh).
 */
export function findName(word: WordNode): string | undefined {
  const bare = word.Parts.filter((part) => part.kind === "Lit").map((part) => (part as LitNode).Value)
    .join("");
  const test = bare === "[" || bare === "[[";
  if (!test && /[*?[\]{}]|^=|^!|\\[A-Za-z0-9]/.test(bare) && !/^\\[A-TV-WYZa-tv-wyz_]\w*$/.test(bare)) {
    return undefined;
  }
  return findValue(word);
}

function partValue(part: Node): string | undefined {
  switch (part.kind) {
    case "Lit":
      return (part as LitNode).Value.replaceAll(/\\(.)/gs, (_, next: string) => next === "\n" ? "" : next);
    case "SglQuoted": {
      const { Value, Dollar } = part as QuotedNode;
      return Dollar ? decodeAnsi(Value) : Value;
    }
    case "DblQuoted":
      if ((part as QuotedNode).Dollar) return undefined;
      return joined((part as WordNode).Parts.map((inner) => quotedValue(inner)));
    default:
      return undefined;
  }
}

function quotedValue(part: Node): string | undefined {
  if (part.kind !== "Lit") return undefined;
  return (part as LitNode).Value.replaceAll(/\\([$`"\\\n])/g, (_, next: string) => next === "\n" ? "" : next);
}

function joined(parts: readonly (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join("");
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

/** The text of `$'…'`; undefined where it holds NUL or a control escape, which shells read differently. */
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
