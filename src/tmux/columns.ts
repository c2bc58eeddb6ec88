// Typed columns of a row: the format to ask tmux for, and how to read its text.

/** One column: a tmux format, and the function that reads its value. */
export interface Column<T> {
  format: string;
  read(text: string): T;
}

/** A column whose value can be absent; the row then lacks the key. */
export interface OptionalColumn<T> extends Column<T | undefined> {
  optional: true;
}

/** Columns by name; a format alone is a column of text. */
export type Columns = Readonly<Record<string, string | Column<unknown>>>;

type OptionalKeys<C> = { [K in keyof C]: C[K] extends OptionalColumn<unknown> ? K : never }[keyof C];
type ValueOf<C> = C extends string ? string
  : C extends OptionalColumn<infer T> ? T
  : C extends Column<infer T> ? T
  : never;

export type RowOf<C extends Columns> =
  & { [K in Exclude<keyof C, OptionalKeys<C>>]: ValueOf<C[K]> }
  & { [K in OptionalKeys<C>]?: ValueOf<C[K]> };

/** Column of whole numbers. tmux prints nothing for an unknown one; that is read as 0. */
export function int(format: string): Column<number> {
  return { format, read: Number };
}

/** Column of booleans: false for an empty text and `0`. */
export function flag(format: string): Column<boolean> {
  return { format, read: (value) => value !== "" && value !== "0" };
}

/** Column of text; an empty text means that there is no value. */
export function maybeText(format: string): OptionalColumn<string> {
  return { format, read: (value) => value === "" ? undefined : value, optional: true };
}

/** Column of whole numbers; an empty text means that there is no value. */
export function maybeInt(format: string): OptionalColumn<number> {
  return { format, read: (value) => value === "" ? undefined : Number(value), optional: true };
}
