// Writes bytes to the row of a line that is edited; a character may be cut between two writes.
import { Row } from "./row.ts";
import { concatBytes, isAscii, wholeCharacters } from "../bytes.ts";

/** Maximum cells of a line that is edited before its end (moving more takes too long), and of any line. */
const [MAX_EDITED, MAX_CELLS] = [1 << 16, 1 << 20];
/** Cells added to a row before it becomes text again, which takes less memory. */
const MAX_ADDED = 1 << 16;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class RowWriter {
  /** Beginning of a character. */
  #cut = new Uint8Array();
  /** Number of cells with which the row began. */
  #begun = 0;

  /** Returns a new row that shows a line. */
  begin(line: Uint8Array, columns: number): Row {
    const row = new Row(columns);
    this.write(row, line.subarray(0, wholeCharacters(line)));
    this.end(row);
    this.#begun = row.length;
    return row;
  }

  write(row: Row, bytes: Uint8Array): void {
    // Decoding pieces of a few bytes costs ten times as much as writing them.
    if (this.#isWhole && isAscii(bytes)) return row.writeAscii(bytes);
    const all = this.#isWhole ? bytes : concatBytes([this.#cut, bytes]);
    const whole = wholeCharacters(all);
    row.write(decoder.decode(all.subarray(0, whole)));
    this.#cut = all.slice(whole);
  }

  /** True if the line of a row has to end here, because it is too long. */
  isTooLong(row: Row): boolean {
    return this.#isWhole && row.length > (row.isAtEnd ? MAX_CELLS : MAX_EDITED);
  }

  /** True if a row should become text again, until it is edited. */
  isLong(row: Row): boolean {
    return this.#isWhole && row.isAtEnd && row.length - this.#begun > MAX_ADDED;
  }

  /** Ends the row; a cut character is replaced. */
  end(row: Row): void {
    if (this.#isWhole) return;
    row.write(decoder.decode(this.#cut));
    this.#cut = new Uint8Array();
  }

  get #isWhole(): boolean {
    return this.#cut.length === 0;
  }
}
