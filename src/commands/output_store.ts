// Keeps a command's output in memory up to a limit, and the rest in a file that no other process can open.
import { writeAllSync } from "../bytes.ts";
import { AppError } from "../errors.ts";
import type { Keep } from "../terminal/memory_lines.ts";

export interface OutputStoreOptions {
  /** Limit (bytes) of this store's memory. */
  memory: number;
  shared: MemoryBudget;
  folder: string;
}

/** Memory budget for the outputs of all commands together (bytes); the rest is on disk. */
export const ALL_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Memory budget: bytes that remain. */
export interface MemoryBudget {
  left: number;
}

export class OutputStore implements Disposable {
  readonly #options: OutputStoreOptions;
  #inMemory = 0;
  #file: Deno.FsFile | undefined;
  #length = 0;
  /** Number of those who read it now. */
  #holds = 0;
  #isDropped = false;

  constructor(options: OutputStoreOptions) {
    this.#options = options;
  }

  /** True if it has a file, and with it an open descriptor. */
  get hasFile(): boolean {
    return this.#file !== undefined;
  }

  /** Keeps bytes and returns a function that reads them; drops bytes that neither memory nor the file has room for. */
  readonly keep: Keep = (bytes) => {
    const { memory, shared } = this.#options;
    const fits = this.#inMemory + bytes.length <= memory && bytes.length <= shared.left;
    if (!fits) return this.#write(bytes);
    this.#inMemory += bytes.length;
    shared.left -= bytes.length;
    return () => bytes;
  };

  /** Keeps it readable, though it is dropped meanwhile, until the returned object is disposed of. */
  hold(): Disposable {
    this.#holds++;
    return {
      [Symbol.dispose]: () => {
        this.#holds--;
        this.#freeIfUnused();
      },
    };
  }

  [Symbol.dispose](): void {
    this.#isDropped = true;
    this.#freeIfUnused();
  }

  #freeIfUnused(): void {
    if (!this.#isDropped || this.#holds > 0) return;
    this.#options.shared.left += this.#inMemory;
    this.#inMemory = 0;
    this.#file?.close();
    this.#file = undefined;
  }

  #write(bytes: Uint8Array): (() => Uint8Array) | undefined {
    const at = this.#length;
    // `length` is copied, because a closure over `bytes` would hold them in memory.
    const { length } = bytes;
    try {
      const file = this.#file ??= openUnnamed(this.#options.folder);
      file.seekSync(at, Deno.SeekMode.Start);
      writeAllSync(file, bytes);
    } catch {
      return undefined;
    }
    this.#length = at + length;
    return () => this.#read(at, length);
  }

  #read(at: number, length: number): Uint8Array {
    if (!this.#file) {
      throw new AppError("gone", "The output of this command is not kept any more", { hint: "Call again" });
    }
    const bytes = new Uint8Array(length);
    this.#file.seekSync(at, Deno.SeekMode.Start);
    for (let from = 0; from < length;) {
      const count = this.#file.readSync(bytes.subarray(from));
      if (count === null) break;
      from += count;
    }
    return bytes;
  }
}

/** Opens a file and removes its name at once, so that it disappears with the process however that ends. */
function openUnnamed(folder: string): Deno.FsFile {
  const path = `${folder}/tmux-mcp-${crypto.randomUUID()}`;
  const file = Deno.openSync(path, { read: true, write: true, createNew: true, mode: 0o600 });
  Deno.removeSync(path);
  return file;
}
