// Files the watches on one pane in the order of the output that they fired on, however late each one reports.
import { getOrCreate } from "../maps.ts";

interface Fired {
  place: number;
  filed: Promise<void>;
}

export class FilingOrder {
  /** Watches that have fired and are not filed yet, by pane. */
  readonly #fired: Map<string, Set<Fired>> = new Map();

  /** Notes that a watch has fired at this place among the pane's bytes. Call it as soon as the place is known. */
  fired(pane: string, place: number): FilingSlot {
    const waiting = getOrCreate(this.#fired, pane, () => new Set());
    const { promise: filed, resolve } = Promise.withResolvers<void>();
    const entry: Fired = { place, filed };
    const before = [...waiting];
    waiting.add(entry);
    return {
      ready: async () => {
        const isEarlier = (other: Fired): boolean =>
          other.place < place || (other.place === place && before.includes(other));
        await Promise.all([...waiting].filter(isEarlier).map((other) => other.filed));
      },
      done: () => {
        resolve();
        waiting.delete(entry);
        if (waiting.size === 0 && this.#fired.get(pane) === waiting) this.#fired.delete(pane);
      },
    };
  }
}

export interface FilingSlot {
  /** Settles when all watches that fired on earlier output are filed. */
  ready(): Promise<void>;
  done(): void;
}
