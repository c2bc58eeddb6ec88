// Follows the line that keys and pastes build up at a shell's prompt, to know what Enter would run.

/** One piece of typing: `keys` are tmux key names, `bytes` are characters that reach the terminal as they are. */
export interface TypedPiece {
  readonly kind: "keys" | "bytes";
  readonly text: string;
}

/** Result of typing. */
export type TypingResult =
  /** Lines that were sent, and the line as it then stands. */
  | { readonly kind: "followed"; readonly sent: readonly string[]; readonly line: string | undefined }
  /** A key or character after which the line would not be known. */
  | { readonly kind: "lost"; readonly at: string };

/** Keys that do the same as a character; the keypad's Enter does so only while no program has changed the keypad. */
const KEYS: Readonly<Record<string, string>> = {
  enter: "\r",
  space: " ",
  bspace: "\x7f",
  "c-m": "\r",
  "c-j": "\r",
  "c-h": "\x7f",
  "c-u": "\x15",
  "c-c": "\x03",
};

/** The line after a piece; a line that is not known becomes known again by C-c. Only plain characters, Enter, and as keys Backspace, C-u and C-c are followed. */
export function type(line: string | undefined, piece: TypedPiece): TypingResult {
  const sent: string[] = [];
  let current: string | undefined = line;
  for (const stroke of strokesOf(piece)) {
    const next = press(current, stroke);
    if (next === undefined) return { kind: "lost", at: stroke.name };
    if (stroke.character === "\r") sent.push(current ?? "");
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
  // Inside the marks of a bracketed paste a newline sends nothing, and taking it for Enter only sees more.
  // deno-lint-ignore no-control-regex -- the marks themselves
  return [...text.replaceAll(/\x1b\[20[01]~/g, "")].map((character) => ({
    name: JSON.stringify(character),
    character: /[\r\n]/.test(character) ? "\r" : isPlain(character) ? character : undefined,
  }));
}

/** U+FFFD stands for invalid bytes: a shell drops those, or waits for the rest of a character. */
function isPlain(character: string): boolean {
  return character !== "\ufffd" && character >= " " && !(character >= "\x7f" && character <= "\x9f");
}

function press(line: string | undefined, { character }: Stroke): string | undefined {
  if (character === "\x03") return "";
  if (line === undefined) return undefined;
  if (character === "\r" || character === "\x15") return "";
  // Each shell and locale takes away a different amount of text that is not ASCII.
  if (character === "\x7f") return /^[\x20-\x7e]*$/.test(line) ? line.slice(0, -1) : undefined;
  return character === undefined || !isPlain(character) ? undefined : line + character;
}

/** `!` and `^` make an interactive shell replace the typed line with an earlier one. */
export function recallsHistory(line: string): boolean {
  return /![^\s=]|^\s*\^/.test(line);
}
