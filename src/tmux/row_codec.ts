// The row codec: asks tmux for rows of named columns and reads them back, whatever the columns contain.
import type { Command } from "../tmux_exec/exec.ts";
import type { Columns, RowOf } from "./columns.ts";

/**
 * Codec that separates fields and rows with a nonce.
 *
 * Paths and process names can hold any byte, including newlines; only something that knows the nonce could imitate a
 * boundary. Separators are printable, because tmux writes control characters as `_` unless it runs with `-u`, and as
 * `\\037` in 3.5a.
 *
 * tmux 3.4 puts a backslash before each `$` that a letter, `_` or `{` follows, in everything that it prints except the
 * content of panes and buffers. Rows and dividers hold such a `$`, so they show if their text has these backslashes.
 */
export class RowCodec {
  readonly #tag: string;
  readonly #start: string;
  readonly #field: string;
  readonly #row: string;

  constructor(nonce: string = crypto.randomUUID().slice(0, 8)) {
    this.#tag = `${nonce}$x`;
    this.#start = `.${this.#tag}|`;
    this.#field = `|${nonce}|`;
    this.#row = `|${nonce}.\n`;
  }

  /** Returns the `-F` argument for these columns. */
  format(columns: Columns): string {
    const formats = Object.values(columns).map((column) =>
      typeof column === "string" ? column : column.format
    );
    return this.#start + formats.join(this.#field) + this.#row.slice(0, -1);
  }

  /**
   * Returns every row of `text`, without the values that are absent. It skips text between rows, such as the output of
   * a user's hook (`after-new-window`), and rows with a different number of columns.
   */
  parse<C extends Columns>(columns: C, text: string): RowOf<C>[] {
    const named = Object.entries(columns);
    const rows: RowOf<C>[] = [];
    for (const row of this.#unescape(text).split(this.#row)) {
      const start = row.indexOf(this.#start);
      if (start < 0) continue;
      const texts = row.slice(start + this.#start.length).split(this.#field);
      if (texts.length !== named.length) continue;
      const values: Record<string, unknown> = {};
      for (const [i, [name, column]] of named.entries()) {
        const value = typeof column === "string" ? texts[i] : column.read(texts[i]!);
        if (value !== undefined) values[name] = value;
      }
      rows.push(values as RowOf<C>);
    }
    return rows;
  }

  /** Line that separates the output of two commands of one batch. */
  get divider(): string {
    return `|${this.#tag}-`;
  }

  /** Returns the command that prints the divider, to be put between two commands of a batch. */
  dividerCommand(): string[] {
    return ["display-message", "-p", this.divider];
  }

  /** Returns the commands with a divider between each two, for `split`. */
  divided(commands: readonly Command[]): Command[] {
    return commands.flatMap((command, index) => index === 0 ? [command] : [this.dividerCommand(), command]);
  }

  /** Splits output at the dividers into the output of each command, such as records and the content of a pane. */
  split(text: string): string[] {
    const divider = text.includes(this.divider) ? this.divider : escapeDollars(this.divider);
    return text.split(divider + "\n");
  }

  /** Does the same for commands that print options, variables, hooks or formats: each value as tmux stores it. */
  splitValues(text: string): string[] {
    return this.split(this.#unescape(text));
  }

  #unescape(text: string): string {
    return text.includes(escapeDollars(this.#tag)) ? text.replace(/\\(?=\$[A-Za-z_{])/g, "") : text;
  }
}

/** Escapes dollars as tmux 3.4 does. */
function escapeDollars(text: string): string {
  return text.replace(/\$(?=[A-Za-z_{])/g, "\\$");
}

/**
 * Returns a tmux format that expands to exactly this text, for names, titles, paths and `-c` directories.
 *
 * A run of `#` before `[` is style syntax, which tmux 3.3a passes through unchanged.
 */
export function literal(text: string): string {
  return text.replace(/#+(\[?)/g, (run, bracket) => bracket === "" ? run + run : run);
}

/** Does the same for commands that expand strftime sequences too (`display-message`, `pipe-pane`). */
export function literalTime(text: string): string {
  return literal(text).replaceAll("%", "%%");
}

/** Returns a format that is true if another format shows exactly this text. */
export function equals(format: string, text: string): string {
  return `#{==:${format},${literal(text).replaceAll(/[,}]/g, "#$&")}}`;
}
