// Reads the records of all processes; skips those that are broken, foreign or of a newer version.
import { join } from "@std/path";
import { listNames } from "./files.ts";
import { readRecord, RECORD, type StoredRecord, type Unreadable } from "./record_file.ts";
import type { RecordFolders } from "./record_folders.ts";
import { delay } from "../timer.ts";

const SLICE = 100;

const SKIPPED: Readonly<Record<Unreadable, string>> = {
  broken: "Skipped a broken record, and others like it",
  foreign: "Skipped a record that is not a file of this user",
  newer: "Ignored records that a newer tmux-mcp wrote, such as",
};

export class RecordReader {
  readonly #folders: RecordFolders;
  readonly #complain: (message: string) => void;
  readonly #skipped: Set<Unreadable> = new Set();
  /** Finished records that were listed, by path: they don't change any more, and there can be thousands. */
  readonly #finished: Map<string, StoredRecord> = new Map();

  constructor(folders: RecordFolders, complain: (message: string) => void) {
    this.#folders = folders;
    this.#complain = complain;
  }

  /**
   * Returns the record with this id; undefined if it is missing, damaged or another user's.
   * @throws {AppError} `busy` without descriptors, as all readers here
   */
  read<T extends StoredRecord>(id: string): T | undefined {
    const place = this.#folders.place(id);
    return place && this.#read<T>(place.folder, place.name);
  }

  /** Yields the records in folders, in slices, so that calls are served in between. */
  async *readSlowly(folders: readonly string[]): AsyncGenerator<StoredRecord> {
    for (const folder of folders) {
      const names = listNames(folder).filter((name) => name.endsWith(RECORD));
      for (const [index, name] of names.entries()) {
        const record = this.#readFile(folder, name);
        if (record) yield record;
        if (index % SLICE === SLICE - 1) await delay();
      }
    }
  }

  /** Returns the records in a folder; `kind` is the letter of their ids, or empty for all of them. */
  list<T extends StoredRecord>(folder: string, kind: string): T[] {
    return listNames(folder)
      .filter((name) => name.endsWith(RECORD) && name.startsWith(kind))
      .flatMap((name) => this.#readOnce<T>(folder, name) ?? []);
  }

  /** Drops the finished records from memory. */
  forget(): void {
    this.#finished.clear();
  }

  /** Reports a file that is not read, once for each reason, because there can be thousands. */
  skip(why: Unreadable, path: string): undefined {
    if (this.#skipped.has(why)) return;
    this.#skipped.add(why);
    this.#complain(`${SKIPPED[why]}: "${path}"`);
  }

  #readFile<T extends StoredRecord>(folder: string, name: string): T | undefined {
    return this.#read<T>(folder, name.slice(0, -RECORD.length));
  }

  #readOnce<T extends StoredRecord>(folder: string, name: string): T | undefined {
    const path = `${folder}/${name}`;
    const known = this.#finished.get(path);
    if (known) return known as T;
    const record = this.#readFile<T>(folder, name);
    if (record?.ended !== undefined) this.#finished.set(path, record);
    return record;
  }

  #read<T extends StoredRecord>(folder: string, name: string): T | undefined {
    if (!this.#folders.trusts(folder)) return undefined;
    const path = join(folder, name + RECORD);
    const read = readRecord(path, this.#folders.uid);
    if (typeof read !== "object") return read && this.skip(read, path);
    const place = this.#folders.place(read.id);
    return place?.name === name && place.folder === folder ? read as T : this.skip("broken", path);
  }
}
