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

/** Ends a call's typing. `isWhole`: it has typed all that was decided on. */
export type EndTyping = (isWhole: boolean) => void;

/** Key of prompts that are not known in advance: those of new panes. */
export const ANYWHERE = "";

/** Tracks typed lines. A pane begins with an empty line, because text that a person has typed is unknown. */
export class TypedLines {
  readonly #lines = new Map<string, FollowedLine>();
  /** Prompts at which a call is typing: another call's keys would be mixed with its own. */
  readonly #busy = new Set<string>();
  /** Prompts of calls that type whole commands; those calls wait for each other elsewhere. */
  readonly #running: string[] = [];
  readonly #filter: CommandFilter;

  constructor(filter: CommandFilter) {
    this.#filter = filter;
  }

  /**
   * Begins the typing of a call. Unless it ends whole, forgets the line until C-c and then C-u clear it, because
   * allowed keys may have been typed only in part, or not at all.
   * @throws {AppError} `denied` for a piece that completes a denied command or makes the line unknown, `busy` while
   * another call types there
   */
  async beginTyping(pieces: readonly TypedPiece[], prompts: readonly TypedPrompt[]): Promise<EndTyping> {
    const isTaken = (key: string): boolean => this.#busy.has(key) || this.#running.includes(key);
    const taken = prompts.find(({ key }) => isTaken(key) || this.#running.includes(ANYWHERE));
    if (taken !== undefined) throw busy(`pane "${taken.paneId}"`);
    const keys = prompts.map(({ key }) => key);
    for (const key of keys) this.#busy.add(key);
    try {
      const lines = [];
      for (const prompt of prompts) lines.push(await this.#follow(pieces, prompt));
      for (const [at, key] of keys.entries()) this.#lines.set(key, lines[at]);
      return (isWhole) => this.#end(keys, isWhole);
    } catch (error) {
      for (const key of keys) this.#busy.delete(key);
      throw error;
    }
  }

  /**
   * Begins a call that types whole commands at these prompts.
   * @throws {AppError} `busy` while another call types there
   */
  beginCommands(keys: readonly string[]): EndTyping {
    const taken = this.#busy.size > 0 && keys.includes(ANYWHERE) || keys.some((key) => this.#busy.has(key));
    if (taken) throw busy("the pane");
    this.#running.push(...keys);
    let isOver = false;
    return () => {
      if (!isOver) { for (const key of keys) this.#running.splice(this.#running.indexOf(key), 1); }
      isOver = true;
    };
  }

  #end(keys: readonly string[], isWhole: boolean): void {
    for (const key of keys) {
      this.#busy.delete(key);
      if (!isWhole) this.#lines.set(key, undefined);
    }
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

function busy(pane: string): AppError {
  return new AppError("busy", `Cannot type into ${pane}: another call is typing there`, {
    hint: "Call again once it has ended",
  });
}

function cannotFollow(what: string): AppError {
  const setting =
    'security.command_filter.raw_input = "track" follows only ASCII characters, Enter, Backspace, C-u and C-c, in lines of at most 1,000 characters';
  const hint = "Use execute-command, or clear the line with C-c and then C-u";
  return denial(`Cannot type ${what}`, setting, hint);
}
