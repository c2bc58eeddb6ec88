// Linux: reads global variables of a program or of a library that it has loaded, by the names they are exported under.
import type { ProcFs } from "./procfs.ts";
import type { MemoryRange } from "./libuv.ts";

const ELF64_LITTLE = [0x7f, 0x45, 0x4c, 0x46, 2, 1];
/** ELF type of a file whose addresses are relative to where it was loaded. */
const MOVABLE = 3;
const HEADER_BYTES = 64;
const SEGMENT_BYTES = 56;
const DYNAMIC = 2;
const STRINGS = 5n;
const SYMBOLS = 6n;
const STRINGS_BYTES = 10n;
const SYMBOL_BYTES = 24;
const POINTER_BYTES = 8;
/** Largest piece of memory to read (bytes): bash exports 2,400 names in 120 kB. */
const MAX_BYTES = 4 << 20;

interface LoadedFile {
  readonly base: bigint;
  /** Device and inode. */
  readonly file: string;
}

/** Offsets from where the file was loaded. */
type Offsets<Name extends string> = Readonly<Record<Name, bigint>>;

/** The variables of one process, as they were at one moment. */
export interface VariablesOf<Name extends string> {
  address(name: Name): bigint;
  int(name: Name): number;
  pointer(name: Name): bigint;
}

/** Reads the same variables of several processes; their offsets are looked up once per file. */
export class GlobalVariables<Name extends string> {
  readonly #proc: ProcFs;
  readonly #names: readonly Name[];
  readonly #library: string | undefined;
  readonly #offsets: Map<string, Offsets<Name> | undefined> = new Map();

  /** `library` is the file name of the library that exports them; without it, the program does. */
  constructor(proc: ProcFs, names: readonly Name[], library?: string) {
    this.#proc = proc;
    this.#names = names;
    this.#library = library;
  }

  /** Reads them; undefined if the file does not export all of them, or the process hides its memory. */
  read(pid: number): VariablesOf<Name> | undefined {
    const loaded = this.#loaded(pid);
    const offsets = loaded && this.#offsetsIn(pid, loaded);
    if (loaded === undefined || offsets === undefined) return undefined;
    const address = (name: Name): bigint => loaded.base + offsets[name];
    const sorted = this.#names.map(address).sort((one, other) => Number(one - other));
    const [first, last] = [sorted[0]!, sorted.at(-1)!];
    // One piece from the first to the last, so that all are read at one moment.
    const piece = viewMemory(this.#proc, pid, {
      address: first,
      length: Number(last - first) + POINTER_BYTES,
    });
    if (piece === undefined) return undefined;
    const at = (name: Name): number => Number(address(name) - first);
    return {
      address,
      int: (name) => piece.getInt32(at(name), true),
      pointer: (name) => piece.getBigUint64(at(name), true),
    };
  }

  #offsetsIn(pid: number, { base, file }: LoadedFile): Offsets<Name> | undefined {
    if (!this.#offsets.has(file)) {
      const found = new LoadedElf(this.#proc, pid, base).offsets(this.#names);
      if (found === "hidden") return undefined;
      this.#offsets.set(file, found);
    }
    return this.#offsets.get(file);
  }

  #loaded(pid: number): LoadedFile | undefined {
    const path = this.#library === undefined ? this.#proc.executable(pid) : `/${this.#library}`;
    if (path === undefined) return undefined;
    const lines = this.#proc.text(`${pid}/maps`)?.split("\n") ?? [];
    const first = lines.find((line) => line.replace(/ \(deleted\)$/, "").endsWith(path));
    if (first === undefined) return undefined;
    const [range = "", , , device = "", inode = ""] = first.split(/ +/);
    return { base: BigInt(`0x${range.slice(0, range.indexOf("-"))}`), file: `${device} ${inode}` };
  }
}

/** An ELF file as a process has loaded it. */
class LoadedElf {
  readonly #proc: ProcFs;
  readonly #pid: number;
  readonly #base: bigint;

  constructor(proc: ProcFs, pid: number, base: bigint) {
    this.#proc = proc;
    this.#pid = pid;
    this.#base = base;
  }

  offsets<Name extends string>(names: readonly Name[]): Offsets<Name> | undefined | "hidden" {
    const header = this.#view(this.#base, HEADER_BYTES);
    if (header === undefined) return "hidden";
    if (ELF64_LITTLE.some((byte, at) => header.getUint8(at) !== byte)) return undefined;
    const moved = header.getUint16(16, true) === MOVABLE ? this.#base : 0n;
    const found = this.#addresses(names, this.#tables(header, moved), moved);
    const entries = names.flatMap((name) => {
      const address = found.get(name);
      return address === undefined ? [] : [[name, address - this.#base]];
    });
    return entries.length === names.length ? Object.fromEntries(entries) : undefined;
  }

  #addresses(
    names: readonly string[],
    tables: ReadonlyMap<bigint, bigint>,
    moved: bigint,
  ): Map<string, bigint> {
    // glibc has replaced these addresses by those in memory; musl has not.
    const at = (tag: bigint): bigint => {
      const address = tables.get(tag) ?? 0n;
      return address >= this.#base ? address : address + moved;
    };
    const [symbols, strings] = [at(SYMBOLS), at(STRINGS)];
    const places = this.#placesOf(names, strings, Number(tables.get(STRINGS_BYTES) ?? 0n));
    // The table of names follows the table of symbols.
    const table = this.#view(symbols, Number(strings - symbols));
    const found = new Map<string, bigint>();
    for (let entry = 0; table && entry + SYMBOL_BYTES <= table.byteLength; entry += SYMBOL_BYTES) {
      const name = places.get(table.getUint32(entry, true));
      const value = table.getBigUint64(entry + 8, true);
      if (name !== undefined && value !== 0n) found.set(name, value + moved);
    }
    return found;
  }

  /** Values of the dynamic section, by tag. */
  #tables(header: DataView, moved: bigint): Map<bigint, bigint> {
    const values = new Map<bigint, bigint>();
    const count = header.getUint16(56, true);
    const segments = this.#view(this.#base + header.getBigUint64(32, true), count * SEGMENT_BYTES);
    for (let at = 0; segments && at + SEGMENT_BYTES <= segments.byteLength; at += SEGMENT_BYTES) {
      if (segments.getUint32(at, true) !== DYNAMIC) continue;
      const size = Number(segments.getBigUint64(at + 40, true));
      const section = this.#view(moved + segments.getBigUint64(at + 16, true), size);
      for (let entry = 0; section && entry + 16 <= section.byteLength; entry += 16) {
        values.set(section.getBigUint64(entry, true), section.getBigUint64(entry + 8, true));
      }
    }
    return values;
  }

  /** Places in the table of names at which the names begin; a linker lets one be the end of another. */
  #placesOf(names: readonly string[], strings: bigint, size: number): Map<number, string> {
    const table = this.#view(strings, size);
    const text = table ? new TextDecoder("latin1").decode(table) : "";
    const places = new Map<number, string>();
    for (const name of names) {
      for (let at = text.indexOf(`${name}\0`); at >= 0; at = text.indexOf(`${name}\0`, at + 1)) {
        places.set(at, name);
      }
    }
    return places;
  }

  #view(address: bigint, length: number): DataView | undefined {
    return viewMemory(this.#proc, this.#pid, { address, length });
  }
}

function viewMemory(proc: ProcFs, pid: number, { address, length }: MemoryRange): DataView | undefined {
  if (length <= 0 || length > MAX_BYTES) return undefined;
  const bytes = proc.memory(pid, address, length);
  return bytes?.length === length ? new DataView(bytes.buffer, bytes.byteOffset, length) : undefined;
}
