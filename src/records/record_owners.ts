// The records that this process is responsible for, and what it can tell about those of other processes.
import { join } from "@std/path";
import type { ProcessIdentity } from "../process/process_identity.ts";
import { createdBy, ownedBy, takeOwnership } from "./owner_files.ts";
import type { LastWrite } from "./pruning.ts";
import type { RecordFolders, RecordPlace } from "./record_folders.ts";

export interface RecordOwnersOptions {
  folders: RecordFolders;
  /** Name of this process's folders. */
  token: string;
  /** Identity of this process; undefined if other processes can't be seen, and then nothing is ever taken over. */
  owner: ProcessIdentity | undefined;
}

export class RecordOwners {
  readonly #options: RecordOwnersOptions;
  /** Folders of this process, and of dead ones whose records it has taken over. */
  readonly #owned: Set<string> = new Set();
  /** Single records of dead processes. */
  readonly #claimed: Set<string> = new Set();

  constructor(options: RecordOwnersOptions) {
    this.#options = options;
  }

  /** True for a folder that this process named, even before it exists. */
  isOwn(folder: string): boolean {
    return folder.endsWith(`/${this.#options.token}`);
  }

  /** True if this process writes to a folder: it has made the folder, or taken it over. */
  hasFolder(folder: string): boolean {
    return this.#owned.has(folder);
  }

  addFolder(folder: string): void {
    this.#owned.add(folder);
  }

  removeFolder(folder: string): void {
    this.#owned.delete(folder);
  }

  /** Makes this process responsible for a folder that it has made; returns true if it is. */
  takeFolder(folder: string): boolean {
    const { owner } = this.#options;
    return owner !== undefined && takeOwnership(join(folder, "owner"), owner);
  }

  /**
   * Makes this process responsible for a folder of a dead one; returns true if it is. A folder without an owner has just
   * been made, and its process is about to become the owner.
   */
  inheritFolder(folder: string): boolean {
    return ownerOf(folder, undefined) !== undefined && this.takeFolder(folder);
  }

  /** True if this process is responsible for a record, because it wrote it or took it over. */
  owns(id: string): boolean {
    const place = this.#options.folders.place(id);
    if (!place) return false;
    if (this.#claimed.has(id) || this.isOwn(place.folder)) return true;
    // Another process may have claimed a record in a folder that this one has taken over.
    return this.#owned.has(place.folder) && ownedBy(ownerOfRecord(place)) === undefined;
  }

  /** True if this process has taken over a single record, and not the folder that holds it. */
  hasClaimed(id: string): boolean {
    return this.#claimed.has(id);
  }

  /** Takes over a single record of a dead process; of several processes, one succeeds. Returns true if this one owns it. */
  claim(id: string): boolean {
    const { owner, folders } = this.#options;
    const place = folders.place(id);
    if (this.owns(id)) return true;
    if (!place || !owner || !this.isAbandoned(id) || !takeOwnership(ownerOfRecord(place), owner)) {
      return false;
    }
    this.#claimed.add(id);
    return true;
  }

  /** True if the process that is responsible for a record is known to be dead, and no other has taken it over. */
  isAbandoned(id: string): boolean {
    return this.#isOwnedBy(id, (stamp, owner) => owner.isDead(stamp));
  }

  /** True if the process that is responsible for a record can't be seen from here. */
  isElsewhere(id: string): boolean {
    return this.#isOwnedBy(id, (stamp, owner) => owner.isElsewhere(stamp));
  }

  /** True if the process that is responsible for a folder, or for one record in it, may still write there. */
  isLive(folder: string, name?: string): boolean {
    return this.#owned.has(folder) || this.#ownerIs({ folder, name }, (stamp, owner) => !owner.isDead(stamp));
  }

  /** The same, except that a process that can't be seen has ended if it wrote nothing since `oldest` (epoch ms). */
  mayWrite({ folder, name, written }: LastWrite, oldest: number): boolean {
    const isUnseen = (stamp: string, owner: ProcessIdentity): boolean => owner.isElsewhere(stamp);
    return this.isLive(folder, name) && (written >= oldest || !this.#ownerIs({ folder, name }, isUnseen));
  }

  /** True if the process ended with an earlier boot of this machine, as far as stamps and times tell. */
  isFromEarlierBoot({ folder, name, written }: LastWrite): boolean {
    return this.#ownerIs({ folder, name }, (stamp, owner) => owner.isFromEarlierBoot(stamp, written));
  }

  /** True if the process that made a folder is known to be dead, even if another is responsible for the folder now. */
  hasDied(folder: string): boolean {
    const stamp = createdBy(join(folder, "owner"));
    return stamp !== undefined && this.#options.owner?.isDead(stamp) === true;
  }

  /** True if another process is responsible for a record, and `isSuch` holds for its stamp. */
  #isOwnedBy(id: string, isSuch: (stamp: string, owner: ProcessIdentity) => boolean): boolean {
    const place = this.#options.folders.place(id);
    return place !== undefined && !this.owns(id) && this.#ownerIs(place, isSuch);
  }

  /** True if `isSuch` holds for the stamp of the process that is responsible. */
  #ownerIs(
    { folder, name }: { folder: string; name?: string | undefined },
    isSuch: (stamp: string, owner: ProcessIdentity) => boolean,
  ): boolean {
    const { owner } = this.#options;
    const stamp = owner && ownerOf(folder, name);
    return stamp !== undefined && isSuch(stamp, owner!);
  }
}

/** Stamp of the process that is responsible for a record, or else for its folder. */
function ownerOf(folder: string, name: string | undefined): string | undefined {
  const claimed = name === undefined ? undefined : ownedBy(ownerOfRecord({ folder, name }));
  return claimed ?? ownedBy(join(folder, "owner"));
}

function ownerOfRecord({ folder, name }: RecordPlace): string {
  return join(folder, `${name}.owner`);
}
