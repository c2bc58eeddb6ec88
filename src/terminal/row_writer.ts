// Writes bytes to a row; a character may be cut between two writes.
import type { Row } from "./row.ts";
import { isAscii } from "../bytes.ts";

export class RowWriter {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** True if the decoder may hold the beginning of a character. */
  #decoding = false;

  write(row: Row, bytes: Uint8Array): void {
    // Decoding pieces of a few bytes costs ten times as much as writing them.
    if (!this.#decoding && isAscii(bytes)) return row.writeAscii(bytes);
    row.write(this.#decoder.decode(bytes, { stream: true }));
    this.#decoding = true;
  }

  /** Ends the row; a cut character is replaced. */
  end(row: Row): void {
    if (this.#decoding) row.write(this.#decoder.decode());
    this.#decoding = false;
  }
}
