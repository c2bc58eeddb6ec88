// Place in a pane's bytes, on a scale that the follows of one worker share.

export class SharedOffset {
  /** Place of the first byte that came; undefined before that. */
  #start: number | undefined;
  #came = 0;
  readonly #placeOfOther: () => number | undefined;

  /** `placeOfOther` returns the place that another follow of the pane has reached; undefined without another. */
  constructor(placeOfOther: () => number | undefined) {
    this.#placeOfOther = placeOfOther;
  }

  /** The place behind all that came; undefined before anything did. */
  get value(): number | undefined {
    return this.#start === undefined ? undefined : this.#start + this.#came;
  }

  came(count: number): void {
    // Follows that were there before have taken these bytes already.
    this.#start ??= Math.max((this.#placeOfOther() ?? 0) - count, 0);
    this.#came += count;
  }
}
