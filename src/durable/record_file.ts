// A record as it stands in its file: a line of JSON for each change, of which the last whole one counts. The shell of
// a command adds a line with its exit status: nobody may be there to read the mark that ends the output.
import { statIfThere, statOwnFile } from "./files.ts";

/** Fields of every record; the rest is its kind's own. */
export interface StoredRecord {
  id: string;
  /** Epoch milliseconds. */
  started: number;
  /** Epoch milliseconds; absent while its subject is still running. */
  ended?: number;
}

/** End of the name of a record's file. */
export const RECORD = ".json";

/** Why a record is not read. */
export type Unreadable = "broken" | "foreign" | "newer";

/** Incremented when a field changes its meaning; records without it are of version 1. */
const FORMAT = 1;
/** No record comes near this size: the longest hold an answer (`limits.answer_bytes`, 1 MiB). */
const MAX_BYTES = 16 * 1024 * 1024;
/** Changes of a command's state and the fields before an answer fit into it. */
const HEAD_BYTES = 64 * 1024;

const encoder = new TextEncoder();

/** A record as one line. */
export function recordLine(record: StoredRecord): string {
  return `${JSON.stringify({ ...record, format: FORMAT })}\n`;
}

/** Each change is one write: a process that is killed during it leaves the record as it was. */
export class RecordFile implements Disposable {
  readonly path: string;
  readonly #file: Deno.FsFile;
  /** The disk took only part of the last line, or a process was killed while writing it. */
  #isTorn: boolean;

  constructor(path: string) {
    this.path = path;
    this.#file = Deno.openSync(path, { append: true, create: true, mode: 0o600 });
    this.#isTorn = this.#file.statSync().size > 0;
  }

  append(record: StoredRecord): void {
    const bytes = encoder.encode((this.#isTorn ? "\n" : "") + recordLine(record));
    this.#isTorn = true;
    for (let rest = bytes; rest.length > 0;) rest = rest.subarray(this.#file.writeSync(rest));
    this.#isTorn = false;
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}

/** The record in a file, or the reason why it is not read; undefined where there is no such file. */
export function readRecord(path: string, uid: number): StoredRecord | Unreadable | undefined {
  const file = statOwnFile(path, uid);
  if (!file) return statIfThere(path) && "foreign";
  if (file.size > MAX_BYTES) return "broken";
  let text: string;
  try {
    text = Deno.readTextFileSync(path);
  } catch (error) {
    // It has been removed, or closed to this user.
    return error instanceof Deno.errors.NotFound ? undefined : "foreign";
  }
  return findLast(text) ?? "broken";
}

/** True if a record says that it has ended, which stands before its long fields. */
export function hasEnded(path: string, size: number): boolean {
  try {
    using file = Deno.openSync(path);
    const bytes = new Uint8Array(Math.min(size, HEAD_BYTES));
    const count = file.readSync(bytes) ?? 0;
    return /"ended":\d/.test(new TextDecoder().decode(bytes.subarray(0, count)));
  } catch {
    // Removed meanwhile.
    return true;
  }
}

/** The exit status (0-255) that a shell has added; undefined where none has. */
export function readExitStatus(path: string): number | undefined {
  try {
    const status = Deno.readTextFileSync(path).match(/^\d{1,3}$/gm)?.at(-1);
    return status === undefined ? undefined : Number(status);
  } catch {
    // It has been removed, by `clean` or for its age.
    return undefined;
  }
}

function findLast(text: string): StoredRecord | "newer" | undefined {
  for (const line of text.trimEnd().split("\n").reverse()) {
    try {
      const value: unknown = JSON.parse(line);
      if (!isRecord(value)) continue;
      const { format = 1, ...record } = value;
      return format > FORMAT ? "newer" : record;
    } catch {
      // An incomplete line: its writer was killed, or the disk was full.
    }
  }
  return undefined;
}

function isRecord(value: unknown): value is StoredRecord & { format?: number } {
  if (typeof value !== "object" || value === null) return false;
  const { id, started, ended, format } = value as Partial<
    Record<"id" | "started" | "ended" | "format", unknown>
  >;
  return typeof id === "string" && Number.isFinite(started) &&
    (ended === undefined || Number.isFinite(ended)) && (format === undefined || Number.isInteger(format));
}
