// An event that happens once. What waits for it can stop waiting, and is then no longer held in memory.

export class Latch {
  readonly #opened: PromiseWithResolvers<void> = Promise.withResolvers();
  readonly #calls: Set<() => void> = new Set();
  #isOpen = false;

  /** Settles when the latch opens. The promise holds whatever is attached to it until then. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  /** Opens the latch; further calls have no effect. */
  open(): void {
    this.#isOpen = true;
    this.#opened.resolve();
    for (const call of this.#calls) void this.opened.then(call);
    this.#calls.clear();
  }

  /** Calls `act` once the latch is open. Returns a function that withdraws the call. */
  onOpen(act: () => void): () => void {
    if (this.#isOpen) void this.opened.then(act);
    else this.#calls.add(act);
    return () => void this.#calls.delete(act);
  }
}
