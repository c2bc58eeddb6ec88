// The text of `$'…'`, as bash and zsh decode it.

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
export function decodeAnsi(quoted: string): string | undefined {
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
