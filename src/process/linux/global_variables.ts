// Linux: reads a program's global variable from its memory, by the name under which it is exported.
import type { ProcFs } from "./procfs.ts";

const ELF64_LITTLE = [0x7f, 0x45, 0x4c, 0x46, 2, 1];
/** ELF type of a program whose addresses are relative to where it was loaded. */
const MOVABLE = 3;
const HEADER_BYTES = 64;
const SEGMENT_BYTES = 56;
const DYNAMIC = 2;
const STRINGS = 5n;
const SYMBOLS = 6n;
const STRINGS_BYTES = 10n;
const SYMBOL_BYTES = 24;
/** Largest piece of memory to read (bytes): bash exports 2,400 names in 120 kB. */
const MAX_BYTES = 4 << 20;

/** Reads one variable of several programs; its offset is looked up once per program file. */
export class GlobalVariables {
  readonly #proc: ProcFs;
  readonly #name: Uint8Array;
  readonly #offsets: Map<string, bigint | undefined> = new Map();

  constructor(proc: ProcFs, name: string) {
    this.#proc = proc;
    this.#name = new TextEncoder().encode(`\0${name}\0`);
  }

  /** Returns the value of an `int`; undefined if the program does not export that name, or hides its memory. */
  read(pid: number): number | undefined {
    const program = this.#proc.identity(`/proc/${pid}/exe`)?.inode;
    const base = this.#base(pid);
    if (program === undefined || base === undefined) return undefined;
    if (!this.#offsets.has(program)) {
      const found = this.#find(pid, base);
      if (found === "hidden") return undefined;
      this.#offsets.set(program, found === undefined ? undefined : found - base);
    }
    const offset = this.#offsets.get(program);
    return offset === undefined ? undefined : this.#view(pid, base + offset, 4)?.getInt32(0, true);
  }

  #base(pid: number): bigint | undefined {
    const path = this.#proc.executable(pid);
    const lines = this.#proc.text(`${pid}/maps`)?.split("\n") ?? [];
    const first = lines.find((line) =>
      path !== undefined && line.replace(/ \(deleted\)$/, "").endsWith(path)
    );
    return first === undefined ? undefined : BigInt(`0x${first.slice(0, first.indexOf("-"))}`);
  }

  #find(pid: number, base: bigint): bigint | undefined | "hidden" {
    const header = this.#view(pid, base, HEADER_BYTES);
    if (header === undefined) return "hidden";
    if (ELF64_LITTLE.some((byte, at) => header.getUint8(at) !== byte)) return undefined;
    const moved = header.getUint16(16, true) === MOVABLE ? base : 0n;
    const tables = this.#tables(pid, { header, base, moved });
    // glibc has replaced these addresses by those in memory; musl has not.
    const at = (tag: bigint): bigint | undefined => {
      const address = tables.get(tag);
      return address === undefined || address >= base ? address : address + moved;
    };
    const [symbols, strings, size] = [at(SYMBOLS), at(STRINGS), tables.get(STRINGS_BYTES)];
    if (symbols === undefined || strings === undefined || size === undefined) return undefined;
    const name = this.#nameIn(pid, strings, size);
    // The table of names follows that of symbols.
    const table = name === undefined ? undefined : this.#view(pid, symbols, Number(strings - symbols));
    if (table === undefined || name === undefined) return undefined;
    for (let entry = 0; entry + SYMBOL_BYTES <= table.byteLength; entry += SYMBOL_BYTES) {
      const value = table.getBigUint64(entry + 8, true);
      if (table.getUint32(entry, true) === name && value !== 0n) return value + moved;
    }
    return undefined;
  }

  /** Values of the dynamic section, by tag. */
  #tables(
    pid: number,
    { header, base, moved }: { header: DataView; base: bigint; moved: bigint },
  ): Map<bigint, bigint> {
    const values = new Map<bigint, bigint>();
    const count = header.getUint16(56, true);
    const segments = this.#view(pid, base + header.getBigUint64(32, true), count * SEGMENT_BYTES);
    for (let at = 0; segments && at + SEGMENT_BYTES <= segments.byteLength; at += SEGMENT_BYTES) {
      if (segments.getUint32(at, true) !== DYNAMIC) continue;
      const size = Number(segments.getBigUint64(at + 40, true));
      const section = this.#view(pid, moved + segments.getBigUint64(at + 16, true), size);
      for (let entry = 0; section && entry + 16 <= section.byteLength; entry += 16) {
        values.set(section.getBigUint64(entry, true), section.getBigUint64(entry + 8, true));
      }
    }
    return values;
  }

  /** Offset of the name in the table of names. */
  #nameIn(pid: number, strings: bigint, size: bigint): number | undefined {
    const names = this.#view(pid, strings, Number(size));
    if (names === undefined) return undefined;
    const bytes = new Uint8Array(names.buffer, names.byteOffset, names.byteLength);
    for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) {
      if (this.#name.every((byte, index) => bytes[at + index] === byte)) return at + 1;
    }
    return undefined;
  }

  #view(pid: number, address: bigint, length: number): DataView | undefined {
    if (length <= 0 || length > MAX_BYTES) return undefined;
    const bytes = this.#proc.memory(pid, address, length);
    return bytes?.length === length ? new DataView(bytes.buffer, bytes.byteOffset, length) : undefined;
  }
}
