// Typed columns of a record: the format tmux is asked for, and what its text means.
import type { Fields, RecordCodec } from "./record_codec.ts";

/** One column: a tmux format, and how its value is read. */
export interface Column<T> {
  format: string;
  read(text: string): T;
}

/** A column whose value can be absent; the key is then left out of the row. */
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

/** A column whose text is its value. */
export function text(format: string): Column<string> {
  return { format, read: (value) => value };
}

/** A column of whole numbers; tmux prints nothing for an unknown one, which is 0. */
export function int(format: string): Column<number> {
  return { format, read: Number };
}

/** True for anything but nothing and `0`. */
export function flag(format: string): Column<boolean> {
  return { format, read: (value) => value !== "" && value !== "0" };
}

/** A column whose empty text means that there is no value. */
export function maybeText(format: string): OptionalColumn<string> {
  return { format, read: (value) => value === "" ? undefined : value, optional: true };
}

/** A column of whole numbers whose empty text means that there is no value. */
export function maybeInt(format: string): OptionalColumn<number> {
  return { format, read: (value) => value === "" ? undefined : Number(value), optional: true };
}

/** The `-F` argument for these columns. */
export function formatRow(columns: Columns, codec: RecordCodec): string {
  return codec.format(formatsOf(columns));
}

/** Typed rows of the text that a format of `formatRow` printed; absent values are left out. */
export function readRows<C extends Columns>(columns: C, codec: RecordCodec, text: string): RowOf<C>[] {
  return codec.parse(formatsOf(columns), text).map((record) => {
    const entries = Object.entries(columns).map(([name, column]) => [name, column.read(record[name] ?? "")]);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as RowOf<C>;
  });
}

function formatsOf(columns: Columns): Fields {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column.format]));
}
