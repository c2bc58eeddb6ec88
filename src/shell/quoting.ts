// Encodes command text so that it passes a terminal and a shell's parser unchanged.

/** Longest run of payload without a newline: macOS terminals cut a line at 1,024 bytes, Linux at 4,096. */
const PIECE_CHARS = 900;

const encoder = new TextEncoder();

/** Quotes text as one word of a POSIX shell; it may have any bytes except NUL. */
export function shellWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Like `shellWord`, but with quotes only if they are needed, for lines that a person reads. */
export function readableWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellWord(word);
}

/** Escape of one byte for `printf %b`, which every shell knows. */
export function printfByte(byte: number): string {
  return `\\0${byte.toString(8).padStart(3, "0")}`;
}

/** `$'…'`: bash, zsh, ksh93, mksh and busybox decode it without a fork. */
export function quoteAnsiC(text: string): string {
  return `$'${splitPieces(text, (byte) => octal(byte, "'\\,!"), `'\\\n$'`)}'`;
}

/** `printf` format in single quotes that prints the text: for shells without `$'…'`. */
export function quoteFormat(text: string): string {
  return `'${splitPieces(text.replaceAll("%", "%%"), (byte) => octal(byte, "'\\!"), "")}'`;
}

/** Quotes text for fish: single quotes, with what they can't contain between them. */
export function quoteFish(text: string): string {
  return `'${splitPieces(text, (byte) => fishEscape(byte), "")}'`;
}

function splitPieces(text: string, escape: (byte: number) => string, joint: string): string {
  let out = "";
  let length = 0;
  for (const byte of encoder.encode(text)) {
    const piece = escape(byte);
    length += piece.length;
    if (joint !== "" && length > PIECE_CHARS) {
      out += joint;
      length = piece.length;
    }
    out += piece;
  }
  return out;
}

function octal(byte: number, special: string): string {
  const char = String.fromCharCode(byte);
  if (byte >= 0x20 && byte < 0x7f && !special.includes(char)) return char;
  return `\\${byte.toString(8).padStart(3, "0")}`;
}

function fishEscape(byte: number): string {
  if (byte >= 0x20 && byte < 0x7f) {
    const char = String.fromCharCode(byte);
    return char === "'" || char === "\\" ? `\\${char}` : char;
  }
  if (byte === 0x0a) return `'\\n'`;
  return `'\\X${byte.toString(16).padStart(2, "0")}'`;
}
