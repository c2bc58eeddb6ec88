// Fifos that another process writes and a thread of ours reads, without blocking.
import { platformConstants } from "./platform.ts";

export interface Fifo {
  readonly path: string;
  readonly fd: number;
  /** Number of bytes that were read: 0 at the end, and while nobody has opened it for writing. */
  read(into: Uint8Array<ArrayBuffer>): number | "none yet";
  /** Removes its name, once the writer has opened it. */
  hide(): void;
  close(): void;
}

export interface Fifos extends Disposable {
  /** One that only this user can open; undefined where none can be made. */
  make(folder: string): Fifo | undefined;
}

const SYMBOLS = {
  mkfifo: { parameters: ["buffer", "u32"], result: "i32" },
  unlink: { parameters: ["buffer"], result: "i32" },
  open: { parameters: ["buffer", "i32"], result: "i32" },
  // Variadic, except for Linux, where that makes no difference.
  fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
} as const;

/** Four times Linux's own size: its reader rests 8 ms in a flood, so 32 MB/s and not 8. */
export const FIFO_BYTES = 1 << 18;
const PRIVATE_MODE = 0o600;

/** Opens the C library at its full path. */
export function openFifos(libcPath: string): Fifos {
  const library = Deno.dlopen(libcPath, SYMBOLS);
  return {
    make: (folder) => makeFifo(library.symbols, folder),
    [Symbol.dispose]: () => library.close(),
  };
}

function makeFifo(symbols: Deno.DynamicLibrary<typeof SYMBOLS>["symbols"], folder: string): Fifo | undefined {
  const { nonBlock, pipeSize } = platformConstants();
  const path = `${folder}/tmux-mcp-${crypto.randomUUID()}`;
  const name = new TextEncoder().encode(`${path}\0`);
  if (symbols.mkfifo(name, PRIVATE_MODE) !== 0) return undefined;
  const fd = symbols.open(name, nonBlock);
  if (fd < 0) return void symbols.unlink(name);
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
