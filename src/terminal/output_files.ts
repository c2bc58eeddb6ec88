// Files that calls write: their default folder, and a mode that lets only their owner read them.
import { AppError, unwritable } from "../errors.ts";
import { bestEffort } from "../promises.ts";

/** Kind of a file, by its first characters (Latin-1) and the end of its name. */
interface FileKind {
  extension: string;
  begins: string;
}

const FILE_KINDS = {
  png: { extension: "png", begins: "\x89PNG" },
  svg: { extension: "svg", begins: "<svg" },
  html: { extension: "html", begins: "<!DOCTYPE html>" },
  cast: { extension: "cast", begins: '{"version":2' },
} as const satisfies Record<string, FileKind>;

export class OutputFiles {
  readonly #folder: string | undefined;
  readonly #checkFolder: (folder: string) => void;

  /**
   * @param folder Default folder for files without a path; without it, such files can't be written
   * @param checkFolder Throws if the folder must not be used
   */
  constructor(folder: string | undefined, checkFolder: (folder: string) => void = () => {}) {
    this.#folder = folder;
    this.#checkFolder = checkFolder;
  }

  /** Writes a whole file or leaves none, under the rules of `create`. A file that was replaced is then empty. */
  async write(path: string, kind: keyof typeof FILE_KINDS, content: Uint8Array | string): Promise<void> {
    const isNew = await isMissing(path);
    using file = await this.create(path, kind);
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    try {
      for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
    } catch (error) {
      await bestEffort(isNew ? Deno.remove(path) : file.truncate());
      throw unwritable(path, error);
    }
  }

  /**
   * Returns an unused path in the default folder.
   * @throws {AppError} `denied` if no folder is allowed or it can't be created
   */
  async newPath(name: string, kind: keyof typeof FILE_KINDS): Promise<string> {
    const folder = this.#folder;
    if (folder === undefined) {
      throw new AppError("denied", "Cannot write a file: security.allowed_output_paths is empty", {
        hint: "Ask the person who runs this server to change that setting",
      });
    }
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 }).catch((error) => {
      throw unwritable(folder, error);
    });
    this.#checkFolder(folder);
    return `${folder}/${name}-${crypto.randomUUID().slice(0, 8)}.${FILE_KINDS[kind].extension}`;
  }

  /**
   * Opens an empty file for writing. An existing file is replaced if it is empty or of the same kind.
   * @throws {AppError} `invalid-argument` for any other file, `not-found` for a missing folder, `busy` if it is open in
   * another place, `denied`
   */
  async create(path: string, kind: keyof typeof FILE_KINDS): Promise<Deno.FsFile> {
    let file: Deno.FsFile | undefined;
    try {
      file = await Deno.open(path, { read: true, write: true, create: true, mode: 0o600 });
      await lock(file, path);
      await checkReplaceable(file, path, FILE_KINDS[kind]);
      await file.truncate();
      return file;
    } catch (error) {
      file?.close();
      throw error instanceof AppError ? error : unwritable(path, error);
    }
  }
}

/** False for a link, wherever it leads. */
async function isMissing(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => false, (error) => error instanceof Deno.errors.NotFound);
}

/** Keeps the file from being opened here a second time, by whatever path and server, until it is closed. */
async function lock(file: Deno.FsFile, path: string): Promise<void> {
  // Some file systems can't lock.
  if (await file.tryLock(true).catch(() => true)) return;
  throw new AppError("busy", `Cannot write "${path}": a recording or another call is writing it`, {
    hint: "End that recording, or choose another path",
  });
}

async function checkReplaceable(file: Deno.FsFile, path: string, kind: FileKind): Promise<void> {
  const { isFile, size } = await file.stat();
  const head = new Uint8Array(kind.begins.length);
  const same = isFile && size > 0 && await file.read(head) !== null &&
    String.fromCharCode(...head) === kind.begins;
  await file.seek(0, Deno.SeekMode.Start);
  if (same || (isFile && size === 0)) return;
  const what = isFile ? `it exists and is not ${kind.extension}` : "it is not a file";
  throw new AppError("invalid-argument", `Cannot write "${path}": ${what}`, { hint: "Choose another path" });
}
