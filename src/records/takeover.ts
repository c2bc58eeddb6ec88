// Takes over the records of dead processes: whole folders, or single records where only some are in scope.
import { basename, join } from "@std/path";
import { hasCode } from "../errors.ts";
import { isExitStatus } from "./exit_status_files.ts";
import { isOwnFile, listNames, removeQuietly, statIfThere } from "./files.ts";
import type { StoredRecord } from "./record_file.ts";
import type { RecordFolders } from "./record_folders.ts";
import type { RecordOwners } from "./record_owners.ts";
import type { RecordReader } from "./record_reader.ts";

export interface TakeoverOptions {
  folders: RecordFolders;
  owners: RecordOwners;
  reader: RecordReader;
  /** Returns the result of `act`; undefined if it failed, which is reported. */
  attempt(act: () => boolean): boolean | undefined;
}

/** Records that this process has taken over from dead ones. */
export interface Inheritance {
  /** Tokens of the dead processes. */
  tokens: string[];
  /** Records of the dead processes. */
  records: StoredRecord[];
}

export class Takeover {
  readonly #options: TakeoverOptions;
  /** Records that another process has claimed, in folders that this one has taken over, and unread ones of its own. */
  readonly #left: Set<string> = new Set();

  constructor(options: TakeoverOptions) {
    this.#options = options;
  }

  /** Takes over folders of dead processes. A record claimed by a live process stays with it until it is dead too. */
  async takeFolders(folders: readonly string[]): Promise<Inheritance> {
    const { owners, reader, attempt } = this.#options;
    const taken = folders
      .filter((folder) => !owners.hasFolder(folder) && !owners.isOwn(folder))
      .filter((folder) => attempt(() => owners.inheritFolder(folder)) === true);
    for (const folder of taken) this.#receive(folder);
    const all = await Array.fromAsync(reader.readSlowly(taken)).catch((error) => {
      // This process has their owner files now, so it takes them over again once there are descriptors.
      for (const folder of taken) owners.removeFolder(folder);
      throw error;
    });
    const records = all.filter(({ id }) => owners.owns(id));
    for (const { id } of all) if (!owners.owns(id)) this.#left.add(id);
    return this.#inheritance([...records, ...this.#claim([...this.#left])], taken);
  }

  /** Claims single records in folders of dead processes. */
  claimEach(folders: readonly string[], isWanted: (record: StoredRecord) => boolean): Inheritance {
    const { owners, reader } = this.#options;
    const records = folders.filter((folder) => !owners.isLive(folder))
      .flatMap((folder) => reader.list(folder, ""))
      .filter((record) => !owners.owns(record.id) && isWanted(record));
    return this.#inheritance(this.#claim([...this.#left, ...records.map(({ id }) => id)]));
  }

  /** Claims those of these records whose owner is dead, and returns them as that owner has left them. */
  #claim(ids: readonly string[]): StoredRecord[] {
    const { owners, reader, attempt } = this.#options;
    return ids.filter((id) => attempt(() => owners.claim(id)) === true).flatMap((id) => {
      try {
        const record = reader.read(id);
        this.#left.delete(id);
        return record ?? [];
      } catch (error) {
        if (!hasCode(error, "busy")) throw error;
        this.#left.add(id);
        return [];
      }
    });
  }

  #inheritance(records: StoredRecord[], taken: readonly string[] = []): Inheritance {
    const { folders } = this.#options;
    const all = [...taken, ...records.map(({ id }) => folders.place(id)!.folder)];
    return { tokens: [...new Set(all.map((folder) => basename(folder)))], records };
  }

  /** Removes links and the like from a folder that this process writes to from now on. */
  #receive(folder: string): void {
    const { owners, reader, folders } = this.#options;
    for (const name of listNames(folder)) {
      const path = join(folder, name);
      const found = statIfThere(path);
      // Another process has removed its draft of an owner meanwhile.
      if (!found || isOwnFile(found, folders.uid) || isExitStatus(name, found)) continue;
      reader.skip("foreign", path);
      removeQuietly(path);
    }
    owners.addFolder(folder);
  }
}
