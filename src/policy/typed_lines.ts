// The line at each pane's prompt, as typed by this server.
import { AppError } from "../errors.ts";
import type { ShellKind } from "../shell/shell_kind.ts";
import { denial } from "./denial.ts";
import type { CommandFilter } from "./command_filter.ts";
import { type FollowedLine, recallsHistory, type TypedPiece, typeOn } from "./typing.ts";

export interface TypedPrompt {
  /** Identifies the tmux server and the pane. */
  readonly key: string;
  readonly shell: ShellKind;
}

/** Tracks typed lines. A pane begins with an empty line, because text that a person has typed is unknown. */
export class TypedLines {
  readonly #lines = new Map<string, FollowedLine>();
  readonly #filter: CommandFilter;

  constructor(filter: CommandFilter) {
    this.#filter = filter;
  }

  /**
   * @throws {AppError} `denied` for a piece that completes a denied command or makes the line unknown
   */
  async checkTyping(pieces: readonly TypedPiece[], { key, shell }: TypedPrompt): Promise<void> {
    let line: FollowedLine = this.#lines.has(key) ? this.#lines.get(key) : "";
    const sent: string[] = [];
    for (const piece of pieces) {
      // It escapes quotes in a paste if one is open before it.
      if (piece.kind === "paste" && shell === "fish") throw cannotFollow("a marked paste into fish");
      const typing = typeOn(line, piece);
      if (typing.kind === "lost") throw cannotFollow(typing.at);
      sent.push(...typing.sent);
      line = typing.line;
    }
    for (const text of sent.filter((each) => each.trim() !== "")) {
      // The shell would join the next line to this one.
      if (/(?:^|[^\\])(?:\\\\)*\\$/.test(text)) throw cannotFollow("a backslash at the end of a line");
      if (recallsHistory(text)) throw cannotFollow("! or ^, which recall history");
      await this.#filter.checkCommand(text, shell);
    }
    this.#lines.set(key, line);
  }

  /**
   * Forgets the line until C-c and then C-u clear it, because allowed keys may have been typed only in part, or not at
   * all.
   */
  lose(key: string): void {
    this.#lines.set(key, undefined);
  }
}

function cannotFollow(what: string): AppError {
  const setting =
    'security.command_filter.raw_input = "track" follows only characters, Enter, Backspace, C-u and C-c';
  return denial(
    `Cannot type ${what}`,
    setting,
    "Use execute-command, or clear the line with C-c and then C-u",
  );
}
