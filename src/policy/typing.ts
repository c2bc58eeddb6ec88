// Tracks the line that keys and pastes form at a shell's prompt, to know what Enter would run.

/**
 * One piece of typing: `keys` are tmux key names, `bytes` are characters that reach the terminal as they are, and
 * `paste` are characters that are marked as a paste for a program that takes pastes.
 */
export interface TypedPiece {
  readonly kind: "keys" | "bytes" | "paste";
  readonly text: string;
}

/**
 * After C-c any end of what was typed before may be left at the prompt: bash continues with what it had taken from
 * the terminal, or misses the signal.
 */
const INTERRUPTED: unique symbol = Symbol("interrupted");

/** Text at the prompt. Undefined: allowed keys may have been typed only in part. */
export type FollowedLine = string | typeof INTERRUPTED | undefined;

export type TypingResult =
  /** Lines that were sent, and the line that is now at the prompt. */
  | { readonly kind: "followed"; readonly sent: readonly string[]; readonly line: FollowedLine }
  /** Key or character that would make the line unknown. */
  | { readonly kind: "lost"; readonly at: string };

/**
 * Keys that are equivalent to a character. The keypad's Enter isn't listed, because a program can change the keypad, and
 * C-h isn't, because it erases nothing in a shell without a line editor.
 */
const KEYS: Readonly<Record<string, string>> = {
  enter: "\r",
  space: " ",
  bspace: "\x7f",
  "c-m": "\r",
  "c-j": "\r",
  "c-u": "\x15",
  "c-c": "\x03",
};

/**
 * Longest line that is followed. Without a line editor a terminal drops the end of a longer one: beyond 4,095 bytes on
 * Linux, and 1,023 on macOS.
 */
const LONGEST_LINE_CHARS = 1000;

/**
 * The line after a piece. C-u after C-c makes an unknown line known again. Only plain characters, Enter, and the keys
 * Backspace, C-u and C-c are tracked.
 */
export function typeOn(line: FollowedLine, piece: TypedPiece): TypingResult {
  const sent: string[] = [];
  let current = line;
  for (const stroke of strokesOf(piece)) {
    const next = press(current, stroke);
    if (next === undefined) {
      return { kind: "lost", at: current === INTERRUPTED ? `${stroke.name} after C-c` : stroke.name };
    }
    if (stroke.character === "\r" && typeof current === "string") sent.push(current);
    current = next;
  }
  return { kind: "followed", sent, line: current };
}

interface Stroke {
  readonly name: string;
  readonly character: string | undefined;
}

function strokesOf({ kind, text }: TypedPiece): Stroke[] {
  if (kind === "keys") {
    const names = text.split(/\s+/).filter((name) => name !== "");
    return names.map((name) => ({
      name,
      character: [...name].length === 1 ? name : KEYS[name.toLowerCase()],
    }));
  }
  // In a marked paste a newline is a character of the line, but not for a program that takes no pastes.
  const enter = kind === "paste" ? undefined : "\r";
  return [...text].map((character) => ({
    name: JSON.stringify(character),
    character: /[\r\n]/.test(character) ? enter : isPlain(character) ? character : undefined,
  }));
}

/**
 * True for a printable ASCII character. What a line editor makes of others depends on its locale, which can't be known:
 * in C, zsh 5.9 takes each byte as the pattern `?`, and yash 2.52 drops it.
 */
function isPlain(character: string): boolean {
  return /^[ -~]$/.test(character);
}

function press(line: FollowedLine, { character }: Stroke): FollowedLine {
  if (character === "\x03") return INTERRUPTED;
  if (line === INTERRUPTED) return character === "\x15" ? "" : undefined;
  if (line === undefined) return undefined;
  if (character === "\r" || character === "\x15") return "";
  if (character === "\x7f") return line.slice(0, -1);
  if (character === undefined || !isPlain(character) || line.length >= LONGEST_LINE_CHARS) return undefined;
  return line + character;
}

/** True if `!` or `^` would make an interactive shell replace a line by an earlier one. */
export function recallsHistory(text: string): boolean {
  return /![^\s=]|^\s*\^/m.test(text);
}

/** Part of the text that may make a shell at its prompt run something else than these lines: it completes words at a Tab. */
export function changingPart(text: string): string | undefined {
  if (recallsHistory(text)) return "! or ^, which recall history,";
  const lines = text.split("\n");
  const odd = lines.flatMap((line) => [...line]).find((character) => !isPlain(character));
  if (odd !== undefined) return JSON.stringify(odd);
  return lines.some(({ length }) => length > LONGEST_LINE_CHARS) ? "more than 1,000 characters" : undefined;
}
