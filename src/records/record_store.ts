// Records that outlive this server process: one folder per process, within one per tmux server.
import { basename, join } from "@std/path";
import { AppError, oneLine } from "../errors.ts";
import type { ProcessIdentity } from "../process/process_identity.ts";
import { RecordOwners } from "./record_owners.ts";
import { ExitStatusFiles } from "./exit_status_files.ts";
import { ensureFolder, listNames, removeQuietly, writeAtomically } from "./files.ts";
import { clean, type LastWrite, measure, prune, type RecordsSize } from "./pruning.ts";
import { RECORD, RecordFile, recordLine, type StoredRecord } from "./record_file.ts";
import { RecordFolders, type RecordPlace } from "./record_folders.ts";
import { RecordReader } from "./record_reader.ts";
import { NO_SERVER, type RecordIds } from "./record_ids.ts";
import { type Inheritance, Takeover } from "./takeover.ts";

export interface RecordStoreOptions {
  root: string;
  /** User that this process runs as; a folder that belongs to somebody else is not used. */
  uid: number;
  maxBytes: number;
  keepHours: number;
  ids: RecordIds;
  /** Identity of this process; undefined if other processes can't be seen, and then nothing is ever taken over. */
  owner: ProcessIdentity | undefined;
  /** Reports problems, once for each cause. */
  complain(message: string): void;
}

const HOUR_MS = 3_600_000;
/** Divisor: the folder is pruned once this part of `maxBytes` was written. */
const PRUNE_SHARE = 16;

export type { StoredRecord } from "./record_file.ts";

export class RecordStore {
  /** Ids for this process's records. */
  readonly ids: RecordIds;
  readonly #options: RecordStoreOptions;
  readonly #folders: RecordFolders;
  readonly #reader: RecordReader;
  readonly #statuses: ExitStatusFiles = new ExitStatusFiles();
  readonly #owners: RecordOwners;
  readonly #takeover: Takeover;
  /** Causes of failures that were reported. */
  readonly #reported: Set<string> = new Set();
  #written = 0;
  #pruning = false;

  constructor(options: RecordStoreOptions) {
    this.#options = options;
    this.ids = options.ids;
    this.#folders = new RecordFolders(options.root, options.uid);
    this.#owners = new RecordOwners({ ...options, folders: this.#folders, token: this.ids.token });
    this.#reader = new RecordReader(this.#folders, (message) => options.complain(message));
    this.#takeover = new Takeover({
      folders: this.#folders,
      owners: this.#owners,
      reader: this.#reader,
      attempt: (act) => this.attempt(act),
    });
  }

  get root(): string {
    return this.#options.root;
  }

  get maxBytes(): number {
    return this.#options.maxBytes;
  }

  /** Writes a record whole or not at all; returns true if it is on disk. Never throws: a full disk ends no call. */
  write(record: StoredRecord): boolean {
    return this.#attemptFor(record, ({ folder, name }) => {
      const text = recordLine(record);
      writeAtomically(join(folder, name + RECORD), text);
      this.wrote(text.length);
    }) !== undefined;
  }

  /** Opens a record that changes often: each change is one write, and the last complete one counts. */
  open(record: StoredRecord): RecordFile | undefined {
    return this.#attemptFor(record, ({ folder, name }) => {
      const file = new RecordFile(join(folder, name + RECORD));
      file.append(record);
      return file;
    }) as RecordFile | undefined;
  }

  /**
   * Returns the record with this id, whichever process wrote it; undefined if it is missing, damaged or
   * another user's.
   * @throws {AppError} `busy` without descriptors, as every other question about records: that says nothing about them
   */
  read<T extends StoredRecord>(id: string): T | undefined {
    return this.#reader.read<T>(id);
  }

  /** Returns the exit status that a command's shell has added to its record. */
  exitStatus(id: string): number | undefined {
    const place = this.#folders.place(id);
    return place && this.#statuses.read(join(place.folder, place.name + RECORD));
  }

  /** Returns the records of one tmux server, of all processes; `kind` is the letter of their ids. */
  list<T extends StoredRecord>(serverKey: string, kind: string): T[] {
    return this.#ofServer(serverKey).flatMap((folder) => this.#reader.list<T>(folder, kind));
  }

  remove(id: string): void {
    const place = this.#folders.place(id);
    if (!place) return;
    this.attempt(() => {
      for (const name of listNames(place.folder)) {
        if (name.startsWith(`${place.name}.`)) removeQuietly(join(place.folder, name));
      }
    });
  }

  /** Returns the path of a file next to a record, in a folder that exists; undefined if nothing can be written. */
  fileBeside(id: string, suffix: string): string | undefined {
    const place = this.#folders.place(id);
    if (!place) return undefined;
    if (!this.#owners.hasFolder(place.folder) && this.#owners.isOwn(place.folder)) {
      if (this.attempt(() => this.#own(place.folder)) === undefined) return undefined;
    }
    return join(place.folder, `${place.name}.${suffix}`);
  }

  /** True if this process is responsible for a record, because it wrote it or took it over. */
  owns(id: string): boolean {
    return this.#owners.owns(id);
  }

  /**
   * Takes over a single record of a dead process; of several processes, one succeeds. False if another process has it;
   * true, without owning the record, if the disk is full.
   */
  claim(id: string): boolean {
    return this.attempt(() => this.#owners.claim(id)) ?? true;
  }

  /**
   * Takes over what dead processes have left of one tmux server. If several processes try, each folder goes to one.
   * With `isWanted`, single records are taken over, and the others are left to other processes.
   */
  async takeOver(serverKey: string, isWanted?: (record: StoredRecord) => boolean): Promise<Inheritance> {
    const folders = this.#ofServer(serverKey);
    if (isWanted) return this.#takeover.claimEach(folders, isWanted);
    return await this.#takeover.takeFolders(folders);
  }

  /** Yields the records of one tmux server, of all processes, in slices, so that calls are served in between. */
  records(serverKey: string): AsyncGenerator<StoredRecord> {
    return this.#reader.readSlowly(this.#ofServer(serverKey));
  }

  /** Returns those that have not ended. */
  async running(serverKey: string): Promise<StoredRecord[]> {
    const records = await Array.fromAsync(this.records(serverKey));
    return records.filter(({ ended }) => ended === undefined);
  }

  /** True if the process that is responsible for a record is known to be dead, and no other has taken it over. */
  isAbandoned(id: string): boolean {
    return this.#owners.isAbandoned(id);
  }

  /** True if the process that is responsible for a record can't be seen from here. */
  isElsewhere(id: string): boolean {
    return this.#owners.isElsewhere(id);
  }

  /** True if a process kept records of a tmux server, and is known to be dead, whoever has taken them over. */
  hasDied(token: string, serverKey: string): boolean {
    return this.#ofServer(serverKey).some((folder) =>
      basename(folder) === token && this.#owners.hasDied(folder)
    );
  }

  /** Keys of the tmux servers that there are records of, including ended ones. */
  serverKeys(): string[] {
    return this.#folders.serverKeys().filter((key) => key !== NO_SERVER);
  }

  /** Counts bytes written next to the records, so that the folder stays within its limits. */
  wrote(bytes: number): void {
    this.#written += bytes;
    if (this.#written < this.#options.maxBytes / PRUNE_SHARE || this.#pruning) return;
    this.#written = 0;
    void this.prune();
  }

  /** Removes what is too old, and the oldest finished records while there are too many bytes. */
  async prune(): Promise<void> {
    if (this.#pruning) return;
    this.#pruning = true;
    const { maxBytes } = this.#options;
    const oldest = this.#oldest();
    const mayWrite = (last: LastWrite): boolean => this.#owners.mayWrite(last, oldest);
    await prune(this.#folders, { maxBytes, oldest, mayWrite })
      .catch((error) => this.#complain(error))
      .finally(() => this.#pruning = false);
    // Removed records must not stay in memory.
    this.#reader.forget();
    // Bytes written meanwhile count too.
    this.wrote(0);
  }

  measure(): Promise<RecordsSize> {
    return measure(this.#folders);
  }

  /** Removes every record except those of commands and watches of live processes; returns the amount removed. */
  clean(): Promise<RecordsSize> {
    const oldest = this.#oldest();
    const owners = this.#owners;
    return clean(this.#folders, (last) => owners.mayWrite(last, oldest) && !owners.isFromEarlierBoot(last));
  }

  /** Time (epoch ms) before which what was written is too old. */
  #oldest(): number {
    return Date.now() - this.#options.keepHours * HOUR_MS;
  }

  /** Returns the result of `act`, or `true` if it has none; undefined if it failed, which is reported. */
  attempt<T>(act: () => T): T | true | undefined {
    try {
      return act() ?? true;
    } catch (error) {
      this.#complain(error);
      return undefined;
    }
  }

  /** Does the same at the place of a record. A folder of this process is made again if somebody has removed it. */
  #attemptFor<T>({ id }: StoredRecord, act: (place: RecordPlace) => T): T | true | undefined {
    const place = this.#folders.place(id);
    if (!place) return undefined;
    if (this.#owners.hasClaimed(id)) return this.attempt(() => act(place));
    return this.attempt(() => {
      this.#own(place.folder);
      try {
        return act(place);
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
        this.#owners.removeFolder(place.folder);
        this.#own(place.folder);
        return act(place);
      }
    });
  }

  /** Creates a folder of this process, with its owner in it before any record. */
  #own(folder: string): void {
    if (this.#owners.hasFolder(folder)) return;
    const { root, uid } = this.#options;
    ensureFolder(root, uid);
    Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#owners.takeFolder(folder);
    this.#owners.addFolder(folder);
  }

  #ofServer(serverKey: string): string[] {
    const { fault } = this.#folders;
    if (fault !== undefined) this.#complain(new AppError("denied", fault));
    return this.#folders.ofServer(serverKey);
  }

  #complain(error: unknown): void {
    const cause = causeOf(error);
    if (this.#reported.has(cause)) return;
    this.#reported.add(cause);
    const what = `Cannot keep records in "${this.#options.root}": ${oneLine(error)}`;
    this.#options.complain(`${what}; they are kept only until this process ends`);
  }
}

/** Cause of a failure, which is the same for all records; the system's message names the file of one. */
function causeOf(error: unknown): string {
  if (error instanceof AppError || !(error instanceof Error)) return oneLine(error);
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
