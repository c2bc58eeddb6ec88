// Folders of records: one for each process, under one for each tmux server, under the root.
import { join } from "@std/path";
import { findFault, isFolderOf, listNames } from "./files.ts";

/** Place of a record on disk. */
export interface RecordPlace {
  /** The files of the record begin with it. */
  name: string;
  folder: string;
}

const ID = /^([a-z]\d+)-([0-9a-f]{8})-(\d+-\d+)$/;

export class RecordFolders {
  readonly root: string;
  readonly uid: number;
  /** Folders known to be this user's own: nobody else can put another in their place. */
  readonly #trusted: Set<string> = new Set();

  constructor(root: string, uid: number) {
    this.root = root;
    this.uid = uid;
  }

  /** Place of the record of an id; undefined if it is not an id. */
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

  /** True for a folder of this user's, under the root and with no link on the way from there. */
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
