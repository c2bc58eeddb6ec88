// Variables of a text that hold only numbers: arithmetic runs the `$(…)` in what any other holds.
import { unreadable } from "./scanner.ts";

export class Numbers {
  /** Set to a number by a statement that has run, where they are asked for. */
  readonly #known = new Set<string>();
  readonly #evaluated = new Set<string>();
  readonly #others = new Set<string>();

  /** A variable is set to a number, for all that follows. */
  know(name: string): void {
    this.#known.add(name);
  }

  /** A loop that sets it to numbers has ended. */
  forget(name: string): void {
    this.#known.delete(name);
  }

  knows(name: string): boolean {
    return this.#known.has(name);
  }

  /** A variable may hold anything. */
  spoil(name: string): void {
    this.#others.add(name);
  }

  /** @throws {AppError} where arithmetic evaluates a variable that was not set to a number before. */
  evaluate(name: string): void {
    if (!this.#known.has(name)) throw evaluates(name);
    this.#evaluated.add(name);
  }

  /** @throws {AppError} where what is evaluated may hold something else, set later and come back to. */
  check(): void {
    for (const name of this.#evaluated) if (this.#others.has(name)) throw evaluates(name);
  }
}

function evaluates(name: string): Error {
  return unreadable(`arithmetic evaluates what ${name} holds`);
}
