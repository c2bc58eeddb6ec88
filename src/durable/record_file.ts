// A record as it stands in its file: a line of JSON for each change, of which the last whole one counts.

/** Fields of every record; the rest is its kind's own. */
export interface StoredRecord {
  id: string;
  /** Epoch milliseconds. */
  started: number;
  /** Epoch milliseconds; absent while what it is about goes on. */
  ended?: number;
}

const encoder = new TextEncoder();

/** One write for a change: whoever is killed in its middle leaves the record as it was before. */
export class RecordFile implements Disposable {
  readonly #file: Deno.FsFile;

  constructor(path: string) {
    this.#file = Deno.openSync(path, { append: true, create: true, mode: 0o600 });
  }

  append(record: StoredRecord): void {
    const bytes = encoder.encode(`${JSON.stringify(record)}\n`);
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(this.#file.writeSync(rest));
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}

/** The last whole record of a file; undefined where there is none. */
export function findLast(text: string): StoredRecord | undefined {
  for (const line of text.trimEnd().split("\n").reverse()) {
    try {
      const record: unknown = JSON.parse(line);
      if (isRecord(record)) return record;
    } catch {
      // Half of a line: its writer was killed, or the disk was full.
    }
  }
  return undefined;
}

function isRecord(value: unknown): value is StoredRecord {
  if (typeof value !== "object" || value === null) return false;
  const { id, started, ended } = value as Partial<Record<keyof StoredRecord, unknown>>;
  return typeof id === "string" && Number.isFinite(started) &&
    (ended === undefined || Number.isFinite(ended));
}
