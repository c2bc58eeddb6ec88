// The record codec: asks tmux for named fields and reads the rows back, whatever the fields contain.

/** Formats of one record, by field name. */
export type Fields = Readonly<Record<string, string>>;

export type RecordOf<F extends Fields> = { [K in keyof F]: string };

/**
 * Separates fields and rows by a nonce.
 *
 * Paths and process names can hold any byte, newlines too; only something that knows the nonce could imitate a
 * boundary. Printable, since tmux writes control characters as `_` unless it runs with `-u`, and as `\037` in 3.5a.
 */
export class RecordCodec {
  readonly #start: string;
  readonly #field: string;
  readonly #row: string;

  constructor(nonce: string = crypto.randomUUID().slice(0, 8)) {
    this.#start = `.${nonce}|`;
    this.#field = `|${nonce}|`;
    this.#row = `|${nonce}.\n`;
  }

  /** The `-F` argument for these fields. */
  format(fields: Fields): string {
    return this.#start + Object.values(fields).join(this.#field) + this.#row.slice(0, -1);
  }

  /**
   * Every row of `text` as an object. Text between rows, as a hook of the user's prints it (`after-new-window`), is
   * skipped, and so is a row with another number of fields.
   */
  parse<F extends Fields>(fields: F, text: string): RecordOf<F>[] {
    const names = Object.keys(fields);
    const records: RecordOf<F>[] = [];
    for (const row of text.split(this.#row)) {
      const start = row.indexOf(this.#start);
      if (start < 0) continue;
      const values = row.slice(start + this.#start.length).split(this.#field);
      if (values.length !== names.length) continue;
      records.push(Object.fromEntries(names.map((name, i) => [name, values[i]])) as RecordOf<F>);
    }
    return records;
  }

  /** A line that parts the output of two commands of one batch. */
  get divider(): string {
    return this.#row.slice(0, -1) + "-";
  }

  /** The command that prints the divider, to stand between two commands of a batch. */
  dividerCommand(): string[] {
    return ["display-message", "-p", this.divider];
  }

  /** What each command between dividers printed. */
  split(text: string): string[] {
    return text.split(this.divider + "\n");
  }
}

/**
 * The text as a tmux format that expands to exactly itself, for names, titles, paths and `-c` directories.
 *
 * A run of `#` before `[` is style syntax, which tmux 3.3a passes through as it stands.
 */
export function literal(text: string): string {
  return text.replace(/#+(\[?)/g, (run, bracket) => bracket === "" ? run + run : run);
}

/** As `literal`, for the commands that expand strftime too (`display-message`, `pipe-pane`). */
export function literalTime(text: string): string {
  return literal(text).replaceAll("%", "%%");
}
