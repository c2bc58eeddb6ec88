// Memory of processes on another machine: unknown parts are fetched with the next question.

import type { MemoryRange, ReadMemory } from "../linux/libuv.ts";

/** Memory read so far for an inspection that needs more: ask for `wanted`, then inspect again. */
export class RemoteMemory {
  readonly #known: Map<string, Uint8Array> = new Map();
  readonly #wanted: Set<string> = new Set();

  /** Reads a thread's memory; undefined before all of it is known. */
  readerOf(pid: number, thread: string): ReadMemory {
    return (ranges) => {
      const keys = ranges.map((range) => keyOf(pid, thread, range));
      const missing = keys.filter((key) => !this.#known.has(key));
      for (const key of missing) this.#wanted.add(key);
      return keys.map((key) => missing.length > 0 ? undefined : this.#known.get(key));
    };
  }

  /** The question to send; undefined if nothing is missing. */
  get question(): string | undefined {
    return this.#wanted.size === 0
      ? undefined
      : [...this.#wanted].map((key) => `tm_memory ${key}`).join("\n");
  }

  /** Takes in what `tm_memory` printed. */
  take(text: string): void {
    for (const key of this.#wanted) this.#known.set(key, new Uint8Array());
    for (const [, key = "", hex = ""] of text.matchAll(/^V (\d+ \d+ \d+ \d+) ([0-9a-f]*)$/gm)) {
      this.#known.set(key, Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)));
    }
    this.#wanted.clear();
  }
}

function keyOf(pid: number, thread: string, { address, length }: MemoryRange): string {
  return `${pid} ${Number.parseInt(thread, 10)} ${address} ${length}`;
}
