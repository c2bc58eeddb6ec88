// Position in shell text: it peeks at the text there, moves past it, or refuses the whole text.
import { AppError } from "../../errors.ts";

export class Scanner {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get done(): boolean {
    return this.at >= this.text.length;
  }

  /** The character here; empty at the end. */
  get here(): string {
    return this.text[this.at] ?? "";
  }

  /** The character before; empty at the start. */
  get before(): string {
    return this.text[this.at - 1] ?? "";
  }

  /** Matches a sticky pattern here without moving. */
  peek(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text) ?? undefined;
  }

  /** Matches a sticky pattern here and moves past the match. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    const found = this.peek(pattern);
    if (found !== undefined) this.at += found[0].length;
    return found;
  }

  /** Moves past a text, if it is here. */
  skip(text: string): boolean {
    if (!this.text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  from(start: number): string {
    return this.text.slice(start, this.at);
  }
}

/** Error for shell text that two shells would read differently, or that all of them reject. */
export function unreadable(reason: string): AppError {
  return new AppError("denied", `Cannot read the text as shell commands: ${reason}`, {
    hint: "Write it as plain commands: a command filter is on, and refuses text that shells read differently",
  });
}
