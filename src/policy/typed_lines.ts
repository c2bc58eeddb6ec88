// The line at each pane's prompt, as typed by this server.
import { AppError } from "../errors.ts";
import type { ShellKind } from "../shell/shell_kind.ts";
import { denial } from "./denial.ts";
import type { CommandFilter } from "./command_filter.ts";
import { type FollowedLine, recallsHistory, type TypedPiece, typeOn } from "./typing.ts";

export interface TypedPrompt {
  readonly paneId: string;
  /** Identifies the tmux server, the pane and the pane's first process. */
  readonly key: string;
  readonly shell: ShellKind;
}

/** Tracks typed lines. A pane begins with an empty line, because text that a person has typed is unknown. */
export class TypedLines {
  readonly #lines = new Map<string, FollowedLine>();
  /** Prompts at which a call is typing: what another typed would come anywhere in between. */
  readonly #busy = new Set<string>();
  readonly #filter: CommandFilter;

  constructor(filter: CommandFilter) {
    this.#filter = filter;
  }

  /**
   * Begins the typing of a call, which `endTyping` ends, and returns the keys of its prompts.
   * @throws {AppError} `denied` for a piece that completes a denied command or makes the line unknown, `busy` while
   * another call types there
   */
  async beginTyping(pieces: readonly TypedPiece[], prompts: readonly TypedPrompt[]): Promise<string[]> {
    const taken = prompts.find(({ key }) => this.#busy.has(key));
    if (taken !== undefined) throw busy(taken.paneId);
    const keys = prompts.map(({ key }) => key);
    for (const key of keys) this.#busy.add(key);
    try {
      const lines = [];
      for (const prompt of prompts) lines.push(await this.#follow(pieces, prompt));
      for (const [at, key] of keys.entries()) this.#lines.set(key, lines[at]);
      return keys;
    } catch (error) {
      for (const key of keys) this.#busy.delete(key);
      throw error;
    }
  }

  /**
   * Unless `isWhole`, forgets the line until C-c and then C-u clear it, because allowed keys may have been typed only
   * in part, or not at all.
   */
  endTyping(key: string, isWhole: boolean): void {
    this.#busy.delete(key);
    if (!isWhole) this.#lines.set(key, undefined);
  }

  async #follow(pieces: readonly TypedPiece[], { key, shell }: TypedPrompt): Promise<FollowedLine> {
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
    return line;
  }
}

function busy(paneId: string): AppError {
  return new AppError("busy", `Cannot type into pane "${paneId}": another call is typing there`, {
    hint: "Call again once it has ended",
  });
}

function cannotFollow(what: string): AppError {
  const setting =
    'security.command_filter.raw_input = "track" follows only characters, Enter, Backspace, C-u and C-c, in lines of at most 1,000 characters';
  return denial(
    `Cannot type ${what}`,
    setting,
    "Use execute-command, or clear the line with C-c and then C-u",
  );
}
