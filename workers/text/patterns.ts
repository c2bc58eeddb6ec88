// Compiled patterns of a worker: most of its watches share them, and compiling leaves much garbage.
import { RE2JS } from "re2js";

const MAX_KEPT = 32;

export class Patterns {
  readonly #compiled: Map<string, RE2JS> = new Map();

  compile(source: string): RE2JS {
    const known = this.#compiled.get(source);
    if (known) return known;
    if (this.#compiled.size >= MAX_KEPT) this.#compiled.clear();
    const pattern = RE2JS.compile(source, RE2JS.MULTILINE);
    this.#compiled.set(source, pattern);
    return pattern;
  }
}
