// Keeps a pane's stream comparable with the pane's history, so that what the stream missed can be read there.
import { LineReader } from "../../src/terminal/lines.ts";
import type { Command } from "../../src/tmux_exec/exec.ts";
import {
  allText,
  COMPARED_LINES,
  endOfRetained,
  missedText,
  readRetained,
  retainedCommands,
  type RetainedLines,
  type StreamEnd,
} from "../../src/tmux/capture/retained_lines.ts";

/** Text that is missing from a stream. */
export interface Missed {
  bytes: Uint8Array;
  /**
   * True if the place of the stream is unknown. The bytes are then all that the pane retains, as long as its stream had
   * more lines, so that nothing from before the stream is among them; they repeat lines and may lack some.
   */
  repeats: boolean;
}

/** Number of bytes kept from the end of the stream. */
const KEPT_BYTES = 4096;
const NEWLINE = 10;
const encoder = new TextEncoder();
/** Control character that ends a sequence which was cut. */
const CANCEL = "\x18";

export class StreamPlace {
  readonly #paneId: string;
  /** The pane as it was last read, at a moment when all of its output had arrived. */
  #from: { end: StreamEnd; key: string } | undefined;
  readonly #tail = new Uint8Array(2 * KEPT_BYTES);
  #length = 0;
  /** Number of lines finished since then; `#isWhole`: the tail has all bytes since then. */
  #lines = 0;
  #isWhole = false;

  constructor(paneId: string) {
    this.#paneId = paneId;
  }

  /** Commands whose output goes to `begin`, in its place among the bytes. */
  get beginning(): Command[] {
    return retainedCommands(this.#paneId, COMPARED_LINES);
  }

  begin(printed: string): void {
    this.#reset(readRetained(printed, COMPARED_LINES));
  }

  push(bytes: Uint8Array): void {
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) this.#lines++;
    const kept = bytes.subarray(-KEPT_BYTES);
    if (this.#length + kept.length > this.#tail.length) {
      this.#tail.copyWithin(0, this.#length - KEPT_BYTES, this.#length);
      this.#length = KEPT_BYTES;
      this.#isWhole = false;
    }
    if (kept.length < bytes.length) this.#isWhole = false;
    this.#tail.set(kept, this.#length);
    this.#length += kept.length;
  }

  /** Commands whose output goes to `missed`, in its place among the bytes. */
  get query(): Command[] {
    return retainedCommands(this.#paneId, "-");
  }

  /** Returns the bytes by which the pane is ahead of its stream. */
  missed(printed: string): Missed {
    const retained = readRetained(printed, "-");
    const text = retained && missedText(retained, this.#end(retained));
    const repeats = text === undefined;
    const shown = repeats && retained && this.#lines >= retained.lines.length
      ? allText(retained)
      : text ?? "";
    this.#reset(retained);
    return { bytes: encoder.encode(shown === "" ? "" : CANCEL + shown.replaceAll("\n", "\r\n")), repeats };
  }

  /** The same stream, continued by these bytes. */
  with(pieces: readonly Uint8Array[]): StreamPlace {
    const place = new StreamPlace(this.#paneId);
    place.#from = this.#from;
    place.#tail.set(this.#tail);
    place.#length = this.#length;
    place.#lines = this.#lines;
    place.#isWhole = this.#isWhole;
    for (const bytes of pieces) place.push(bytes);
    return place;
  }

  #reset(retained: RetainedLines | undefined): void {
    this.#from = retained && { end: endOfRetained(retained), key: retained.key };
    this.#lines = this.#length = 0;
    this.#isWhole = retained !== undefined;
  }

  #end({ key, columns }: RetainedLines): StreamEnd {
    const before = this.#isWhole ? this.#from?.end : undefined;
    const reader = new LineReader({ columns });
    const bytes = this.#tail.subarray(0, this.#length);
    // Without what came before, the first line may be only the rest of a line.
    if (before) reader.push(encoder.encode(before.pending));
    const { text } = reader.push(before ? bytes : bytes.subarray(bytes.indexOf(NEWLINE) + 1));
    const lines = [...(before?.last ?? []), ...text.split("\n").slice(0, -1)];
    const row = this.#from?.key === key ? this.#from.end.from?.row : undefined;
    return {
      last: lines.slice(-COMPARED_LINES),
      pending: reader.pending(),
      ...(row !== undefined && { from: { row, lines: this.#lines } }),
    };
  }
}
