// Memory of processes on another machine: unknown parts are fetched with the next request.

import type { MemoryRange, ReadMemory } from "../linux/libuv.ts";

/** Memory that has been read for an inspection, which may need more: send `question`, then inspect again. */
export class RemoteMemory {
  readonly #known: Map<string, Uint8Array> = new Map();
  readonly #missing: Set<string> = new Set();

  /** Reads a thread's memory; undefined until all of it is known. */
  readerOf(pid: number, thread: string): ReadMemory {
    return (ranges) => {
      const keys = ranges.map((range) => keyOf(pid, thread, range));
      const missing = keys.filter((key) => !this.#known.has(key));
      for (const key of missing) this.#missing.add(key);
      return keys.map((key) => missing.length > 0 ? undefined : this.#known.get(key));
    };
  }

  /** The request to send; undefined if nothing is missing. */
  get question(): string | undefined {
    return this.#missing.size === 0
      ? undefined
      : [...this.#missing].map((key) => `tm_memory ${key}`).join("\n");
  }

  /** Reads the output of `tm_memory`. */
  take(text: string): void {
    for (const key of this.#missing) this.#known.set(key, new Uint8Array());
    for (const [, key = "", hex = ""] of text.matchAll(/^V (\d+ \d+ \d+ \d+) ([0-9a-f]*)$/gm)) {
      this.#known.set(key, Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)));
    }
    this.#missing.clear();
  }
}

function keyOf(pid: number, thread: string, { address, length }: MemoryRange): string {
  return `${pid} ${Number.parseInt(thread, 10)} ${address} ${length}`;
}
