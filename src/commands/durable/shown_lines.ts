// The lines of a pane that show a command at its prompt.
import type { StoredCommand } from "./stored_command.ts";

/** Characters of a command that identify the line it was typed on. */
const KNOWN_CHARS = 60;
// deno-lint-ignore no-control-regex
const PRINTABLE = /^[^\x00-\x1f\x7f]+/;

/** Returns the characters of a command that identify the line it was typed on; empty if none do. */
export function typedPart({ command }: Pick<StoredCommand, "command">): string {
  return (PRINTABLE.exec(command)?.[0] ?? "").trimEnd().slice(0, KNOWN_CHARS);
}

/** True if a line begins with the prompt of a command, and the command behind that. */
export function isTypedOn(text: string, { promptLine, ...stored }: StoredCommand): boolean {
  const typed = typedPart(stored).trim();
  return typed !== "" && promptLine !== undefined && text.startsWith(promptLine) &&
    text.slice(promptLine.length).trimStart().startsWith(typed);
}

/** Finds a pane's lines that show commands. Each command was shown once. */
export class ShownLines {
  readonly #commands: Set<StoredCommand>;
  /** Lines that are left of the command whose lines are read now. */
  #left = 0;

  constructor(commands: Iterable<StoredCommand>) {
    // Without a prompt, output could look the same.
    const prompted = [...commands].filter(({ promptLine }) => promptLine !== "");
    // A line that shows a command also shows every other one that it begins with.
    prompted.sort((one, other) =>
      typedPart(other).length - typedPart(one).length || one.started - other.started
    );
    this.#commands = new Set(prompted);
  }

  /** Takes the pane's next line; returns true if it shows a command or a part of one. */
  take(text: string): boolean {
    if (this.#left > 0) return this.#left-- > 0;
    const shown = [...this.#commands].find((each) => isTypedOn(text, each));
    if (shown === undefined) return false;
    this.#commands.delete(shown);
    this.#left = shown.lineCount - 1;
    return true;
  }
}
