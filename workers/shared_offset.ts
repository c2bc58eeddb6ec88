// Place in a pane's bytes, on a scale that the follows of one worker share.

export class SharedOffset {
  /** Place of the first byte received; undefined before that. */
  #start: number | undefined;
  #received = 0;
  readonly #placeOfOther: () => number | undefined;

  /** `placeOfOther` returns the place that another follow of the pane has reached; undefined if there is no other. */
  constructor(placeOfOther: () => number | undefined) {
    this.#placeOfOther = placeOfOther;
  }

  /** Place after all bytes received so far; undefined before the first. */
  get value(): number | undefined {
    return this.#start === undefined ? undefined : this.#start + this.#received;
  }

  add(count: number): void {
    // Older follows of the pane have already counted these bytes.
    this.#start ??= Math.max((this.#placeOfOther() ?? 0) - count, 0);
    this.#received += count;
  }
}
