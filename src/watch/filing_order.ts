// Files the watches on one pane in the order of the output they fired on, however late each reports it.

interface Fired {
  place: number;
  filed: Promise<void>;
}

export class FilingOrder {
  /** Watches that have fired and are not filed yet, by pane. */
  readonly #fired: Map<string, Set<Fired>> = new Map();

  /** A watch has fired at this place among the pane's bytes. Call it as soon as that is known. */
  fired(pane: string, place: number): Turn {
    const waiting = this.#fired.get(pane) ?? new Set();
    this.#fired.set(pane, waiting);
    const { promise: filed, resolve } = Promise.withResolvers<void>();
    const own: Fired = { place, filed };
    const before = [...waiting];
    waiting.add(own);
    return {
      come: async () => {
        const isEarlier = (other: Fired): boolean =>
          other.place < place || (other.place === place && before.includes(other));
        await Promise.all([...waiting].filter(isEarlier).map((other) => other.filed));
      },
      over: () => {
        resolve();
        waiting.delete(own);
        if (waiting.size === 0 && this.#fired.get(pane) === waiting) this.#fired.delete(pane);
      },
    };
  }
}

/** The turn of one watch. */
export interface Turn {
  /** Settles when watches that fired on earlier output are filed. */
  come(): Promise<void>;
  /** Notes that it is filed. */
  over(): void;
}
