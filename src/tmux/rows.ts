// Rows that tmux prints of its objects: of all that a command lists, or of the one that was acted on.
import { AppError } from "../errors.ts";
import type { Columns, RowOf } from "./columns.ts";
import type { Command } from "../tmux_exec/exec.ts";
import type { RowCodec } from "./row_codec.ts";

/** Reference to a session. An object in several sessions has one row for each, in tmux's order. */
export interface SessionRef {
  sessionId: string;
  sessionName: string;
}

/** A row of a session, or of a pane in it. */
export interface ScopedRow extends SessionRef {
  paneId?: string;
  /** Key of the pane's tmux server. */
  serverKey?: string;
}

export interface RowSource {
  readonly codec: RowCodec;
  run(commands: readonly Command[]): Promise<string>;
  runIfServer(commands: readonly Command[]): Promise<string | undefined>;
  sees(row: ScopedRow): boolean;
}

/** Returns the command that fails if there is no such object: without it, tmux would take the current one. */
export function mustExist(target: string | undefined): Command[] {
  return target === undefined ? [] : [["has-session", "-t", target]];
}

export class Rows {
  readonly #tmux: RowSource;

  constructor(tmux: RowSource) {
    this.#tmux = tmux;
  }

  /** Returns the rows that a listing command prints; none if no server runs. */
  async list<C extends Columns>(columns: C, command: Command): Promise<RowOf<C>[]> {
    const { codec } = this.#tmux;
    const text = await this.#tmux.runIfServer([[...command, "-F", codec.format(columns)]]);
    return text === undefined ? [] : codec.parse(columns, text);
  }

  /**
   * Runs `acts` on the object that `target` names, then reads it, in one batch.
   * @throws {AppError} `not-found`, before anything is done, if there is no such object
   */
  async read<C extends Columns>(
    columns: C,
    target: string,
    { acts = [], from = target }: { acts?: readonly Command[]; from?: string } = {},
  ): Promise<RowOf<C>> {
    const [row] = await this.#readRows(columns, target, [...acts, ["display-message", "-p", "-t", from]]);
    return row!;
  }

  /**
   * Does the same for a pane or window that the last command lists; if several sessions have it, the row is chosen as
   * in listings.
   */
  async readLinked<C extends Columns>(
    columns: C,
    target: string,
    commands: readonly Command[],
  ): Promise<RowOf<C>> {
    const rows = await this.#readRows(columns, target, commands);
    const [row] = this.named(rows as (RowOf<C> & SessionRef & { id: string })[]);
    return row!;
  }

  /**
   * Returns one row per object, that of its first session which may be seen. tmux itself would name the session that
   * was used last, which differs from call to call.
   */
  named<R extends SessionRef & { id: string }>(rows: readonly R[]): R[] {
    const named = new Map<string, R>();
    for (const row of rows) {
      const other = named.get(row.id);
      if (!other || (!this.#tmux.sees(other) && this.#tmux.sees(row))) named.set(row.id, row);
    }
    return [...named.values()];
  }

  /** Reads the last command's output, which begins with rows of `columns`. */
  async #readRows<C extends Columns>(
    columns: C,
    target: string,
    commands: readonly Command[],
  ): Promise<RowOf<C>[]> {
    const { codec } = this.#tmux;
    const last = [...commands.at(-1)!, "-F", codec.format(columns)];
    const text = await this.#tmux.run([...mustExist(target), ...commands.slice(0, -1), last]);
    const rows = codec.parse(columns, text);
    if (rows.length > 0) return rows;
    throw new AppError("tmux-error", `tmux did not describe "${target}": ${text}`, {
      hint: "Call list-panes to see what exists before calling again",
    });
  }
}
