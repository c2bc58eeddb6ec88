// A record in its file: a line of JSON for each change, of which the last complete one counts. The shell of a command
// creates an empty file, named after that and the exit status, because no process may be there to read the mark that
// ends the output.
import { writeAllSync } from "../bytes.ts";
import { lacksDescriptor, noDescriptor } from "../errors.ts";
import { isOwnFile, removeQuietly, statIfThere } from "./files.ts";

/** Fields of every record; the others depend on its kind. */
export interface StoredRecord {
  id: string;
  /** Epoch milliseconds. */
  started: number;
  /** Epoch milliseconds; absent while its subject is still running. */
  ended?: number;
}

/** End of the name of a record's file. */
export const RECORD = ".json";

/** Reason why a record is not read. */
export type Unreadable = "broken" | "foreign" | "newer";

/** Incremented when a field changes its meaning; records without this field have version 1. */
const FORMAT = 1;
/** Largest record that is read: the longest ones hold a result (`limits.answer_bytes`, 1 MiB). */
const MAX_BYTES = 16 * 1024 * 1024;
/** Bytes at the beginning of a file that contain changes of a command's state and the fields before a result. */
const HEAD_BYTES = 64 * 1024;

const encoder = new TextEncoder();

/** Returns a record as one line. `hasEnded` reads only its beginning. */
export function recordLine({ id, started, ended, ...rest }: StoredRecord): string {
  return `${JSON.stringify({ id, started, ended, ...rest, format: FORMAT })}\n`;
}

/** File of a record. Each change is one write: if the process is killed during it, the record stays as it was. */
export class RecordFile implements Disposable {
  readonly #file: Deno.FsFile;
  /** True if the last line may be incomplete: the disk was full, or a process was killed while writing it. */
  #isTorn: boolean;

  constructor(path: string) {
    this.#file = Deno.openSync(path, { append: true, create: true, mode: 0o600 });
    this.#isTorn = this.#file.statSync().size > 0;
  }

  append(record: StoredRecord): void {
    const bytes = encoder.encode((this.#isTorn ? "\n" : "") + recordLine(record));
    this.#isTorn = true;
    writeAllSync(this.#file, bytes);
    this.#isTorn = false;
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}

/**
 * Returns the record in a file, or the reason why it is not read; undefined if there is no such file.
 * @throws {AppError} `busy` without descriptors, which says nothing about the record
 */
export function readRecord(path: string, uid: number): StoredRecord | Unreadable | undefined {
  const file = statIfThere(path);
  if (!file) return undefined;
  if (!isOwnFile(file, uid)) return "foreign";
  if (file.size > MAX_BYTES) return "broken";
  let text: string;
  try {
    text = Deno.readTextFileSync(path);
  } catch (error) {
    if (lacksDescriptor(error)) throw noDescriptor("Cannot read records", error);
    // The file has been removed, or closed to this user.
    return error instanceof Deno.errors.NotFound ? undefined : "foreign";
  }
  return findLast(text) ?? "broken";
}

/** True unless a record may be of something that runs; the field that says so comes before the long ones. */
export function hasEnded(path: string, size: number): boolean {
  try {
    using file = Deno.openSync(path);
    const bytes = new Uint8Array(Math.min(size, HEAD_BYTES));
    const count = file.readSync(bytes) ?? 0;
    return /"ended":\d/.test(new TextDecoder().decode(bytes.subarray(0, count)));
  } catch (error) {
    // Otherwise the file has been removed meanwhile.
    return !lacksDescriptor(error);
  }
}

/** Removes the exit status, one of these, that a shell has left beside a record, which has it now. */
export function removeExitStatus(path: string, statuses: readonly number[]): void {
  for (const status of statuses) removeQuietly(`${path}.${status}`);
}

function findLast(text: string): StoredRecord | "newer" | undefined {
  for (const line of text.trimEnd().split("\n").reverse()) {
    try {
      const value: unknown = JSON.parse(line);
      if (!isRecord(value)) continue;
      const { format = 1, ...record } = value;
      return format > FORMAT ? "newer" : record;
    } catch {
      // The line is incomplete: its writer was killed, or the disk was full.
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
