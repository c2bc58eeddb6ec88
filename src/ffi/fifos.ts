// Fifos that another process writes to and one of our threads reads without blocking.
import { isNoDescriptor, noDescriptor } from "../errors.ts";
import { cString } from "./c_string.ts";
import { ERRNO_SYMBOLS, readErrno } from "./errno.ts";
import { platformConstants } from "./platform.ts";

export interface Fifo {
  readonly path: string;
  readonly fd: number;
  /** Number of bytes read; 0 at the end, and as long as nothing has opened the fifo for writing. */
  read(into: Uint8Array<ArrayBuffer>): number | "none yet";
  /** Removes the fifo's name, once the writer has opened it. */
  hide(): void;
  close(): void;
}

export interface Fifos extends Disposable {
  /**
   * Creates a fifo that only this user can open; undefined if that fails.
   * @throws {AppError} `busy` if no descriptor is left
   */
  make(folder: string): Fifo | undefined;
  /** True for a fifo that no process has open for reading; the kernel closes what a dead process had open. */
  isUnread(path: string): boolean;
}

const SYMBOLS = {
  mkfifo: { parameters: ["buffer", "u32"], result: "i32" },
  unlink: { parameters: ["buffer"], result: "i32" },
  open: { parameters: ["buffer", "i32"], result: "i32" },
  // fcntl is variadic, which makes no difference on Linux, where it is called.
  fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
  ...ERRNO_SYMBOLS,
} as const;

/** Four times Linux's default size: the reader rests 8 ms in a flood, so this allows 32 MB/s instead of 8. */
export const FIFO_BYTES = 1 << 18;
const PRIVATE_MODE = 0o600;
const WRITE_ONLY = 1;
/** Error number of open(2) for a fifo that nothing reads. */
const ENXIO = 6;

/** Loads the C library from its full path. */
export function openFifos(libcPath: string): Fifos {
  const library = Deno.dlopen(libcPath, SYMBOLS);
  return {
    make: (folder) => makeFifo(library.symbols, folder),
    isUnread: (path) => isUnread(library.symbols, path),
    [Symbol.dispose]: () => library.close(),
  };
}

type FifoLibrary = Deno.DynamicLibrary<typeof SYMBOLS>;

function isUnread(symbols: FifoLibrary["symbols"], path: string): boolean {
  const fd = symbols.open(cString(path), WRITE_ONLY | platformConstants().nonBlock);
  if (fd < 0) return readErrno(symbols) === ENXIO;
  symbols.close(fd);
  return false;
}

function makeFifo(symbols: FifoLibrary["symbols"], folder: string): Fifo | undefined {
  const { nonBlock, pipeSize } = platformConstants();
  const path = `${folder}/tmux-mcp-${crypto.randomUUID()}`;
  const name = cString(path);
  if (symbols.mkfifo(name, PRIVATE_MODE) !== 0) return undefined;
  const fd = symbols.open(name, nonBlock);
  if (fd < 0) {
    const errno = readErrno(symbols);
    symbols.unlink(name);
    if (isNoDescriptor(errno)) throw noDescriptor("Cannot read a pane's pipe");
    return undefined;
  }
  if (pipeSize !== undefined) symbols.fcntl(fd, pipeSize, FIFO_BYTES);
  return {
    path,
    fd,
    read(into) {
      const count = Number(symbols.read(fd, into, BigInt(into.length)));
      return count < 0 ? "none yet" : count;
    },
    hide: () => void symbols.unlink(name),
    close: () => void symbols.close(fd),
  };
}
