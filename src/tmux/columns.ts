// Typed columns of a record: the format to ask tmux for, and how to read its text.
import type { Fields, RecordCodec } from "./record_codec.ts";

/** One column: a tmux format, and the function that reads its value. */
export interface Column<T> {
  format: string;
  read(text: string): T;
}

/** A column whose value can be absent; the row then lacks the key. */
export interface OptionalColumn<T> extends Column<T | undefined> {
  optional: true;
}

export type Columns = Readonly<Record<string, Column<unknown>>>;

type OptionalKeys<C> = { [K in keyof C]: C[K] extends OptionalColumn<unknown> ? K : never }[keyof C];
type ValueOf<C> = C extends OptionalColumn<infer T> ? T : C extends Column<infer T> ? T : never;

/** Type of a row of these columns. */
export type RowOf<C extends Columns> =
  & { [K in Exclude<keyof C, OptionalKeys<C>>]: ValueOf<C[K]> }
  & { [K in OptionalKeys<C>]?: ValueOf<C[K]> };

/** Column whose value is its text. */
export function text(format: string): Column<string> {
  return { format, read: (value) => value };
}

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

/** Returns the `-F` argument for these columns. */
export function formatRow(columns: Columns, codec: RecordCodec): string {
  return codec.format(formatsOf(columns));
}

/** Returns typed rows from the text that a format of `formatRow` printed; absent values are left out. */
export function readRows<C extends Columns>(columns: C, codec: RecordCodec, text: string): RowOf<C>[] {
  return codec.parse(formatsOf(columns), text).map((record) => {
    const entries = Object.entries(columns).map(([name, column]) => [name, column.read(record[name] ?? "")]);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as RowOf<C>;
  });
}

function formatsOf(columns: Columns): Fields {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column.format]));
}
