// Beginning of a wrapped line that has left a scroll region, while the rest of the line is on the screen.
import type { SharedRow } from "./shared_row.ts";

export class BegunLine {
  #begun: { rest: SharedRow; text: string } | undefined;

  /** Begins a line that continues in the row `rest`; returns the beginning that nothing has continued. */
  begin(rest: SharedRow, text: string): string[] {
    const lines = this.end();
    this.#begun = { rest, text };
    return lines;
  }

  /** Returns the beginning if the line continues in this row. */
  before(row: SharedRow | undefined): string {
    return row !== undefined && this.#begun?.rest === row ? this.#begun.text : "";
  }

  /** Does the same, because the row leaves the screen too. */
  take(row: SharedRow | undefined): string {
    const text = this.before(row);
    if (text !== "") this.#begun = undefined;
    return text;
  }

  /** Returns the beginning as a line of its own, if there is one. */
  end(): string[] {
    const lines = this.#begun ? [this.#begun.text] : [];
    this.#begun = undefined;
    return lines;
  }
}
