// Folders of records: one per process, within one per tmux server, within the root.
import { join } from "@std/path";
import { findFault, isFolderOf, listNames } from "./files.ts";

export interface RecordPlace {
  /** Beginning of the names of the record's files. */
  name: string;
  folder: string;
}

const ID = /^([a-z]\d+)-([0-9a-f]{8})-(\d+-\d+)$/;

export class RecordFolders {
  readonly root: string;
  readonly uid: number;
  /** Folders known to belong to this user; nobody else can put others in their place. */
  readonly #trusted: Set<string> = new Set();

  constructor(root: string, uid: number) {
    this.root = root;
    this.uid = uid;
  }

  /** Returns the place of the record with this id; undefined if it is not an id. */
  place(id: string): RecordPlace | undefined {
    const [, name, token, serverKey] = ID.exec(id) ?? [];
    if (name === undefined || token === undefined || serverKey === undefined) return undefined;
    return { name, folder: join(this.root, serverKey, token) };
  }

  /** Reason why nothing can be kept here; undefined if it can. */
  get fault(): string | undefined {
    return findFault(this.root, this.uid);
  }

  /** Folders of the processes that kept records of one tmux server. */
  ofServer(serverKey: string): string[] {
    const server = join(this.root, serverKey);
    return this.fault === undefined && isFolderOf(server, this.uid)
      ? listNames(server).map((token) => join(server, token)).filter((folder) => this.#isOwn(folder))
      : [];
  }

  /** Keys of the tmux servers that there are records of. */
  serverKeys(): string[] {
    return listNames(this.root);
  }

  all(): string[] {
    return this.serverKeys().flatMap((serverKey) => this.ofServer(serverKey));
  }

  /** True for a folder of this user under the root, with no link on the way to it. */
  trusts(folder: string): boolean {
    if (this.#trusted.has(folder)) return true;
    const isTrusted = this.fault === undefined && isFolderOf(join(folder, ".."), this.uid) &&
      this.#isOwn(folder);
    if (isTrusted) this.#trusted.add(folder);
    return isTrusted;
  }

  #isOwn(folder: string): boolean {
    return isFolderOf(folder, this.uid);
  }
}
