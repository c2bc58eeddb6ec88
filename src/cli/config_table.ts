// Tables in a client's configuration, whatever its format.

export type ConfigTable = Record<string, unknown>;
export type KeyPath = readonly string[];

/** Nested tables along a path, with the value at the end. */
export function nested(path: KeyPath, value: unknown): ConfigTable {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value) as ConfigTable;
}

export function lineEnd(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}
