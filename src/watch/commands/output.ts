// What one command wrote, as text: whole, and as much of it as an answer may hold.
import { type Keep, type LineSlice, MemoryLines } from "../../terminal/memory_lines.ts";
import { TextRenderer, type TextRendererOptions } from "../../terminal/text.ts";

export interface OutputLimit {
  maxLines: number;
  /** UTF-8 bytes. */
  maxBytes: number;
}

/** Part of a command's output, as a CommandResult carries it. */
export interface OutputView {
  output: string;
  outputTruncated?: boolean;
  totalLines: number;
  totalBytes: number;
  alternateScreen?: boolean;
  /** First line that is not in `output`. */
  nextOffset?: number;
}

const encoder = new TextEncoder();

export class CommandOutput {
  readonly #lines: MemoryLines;
  /** Gone once finished: then every line is in the sink, and a kept record is no dearer than its text. */
  #renderer: TextRenderer | undefined;
  #alternateScreen = false;
  #lost = false;

  /** `keep` is where finished lines are put away. */
  constructor(options: TextRendererOptions, keep?: Keep) {
    this.#lines = new MemoryLines(keep);
    this.#renderer = new TextRenderer(options, this.#lines);
  }

  push(bytes: Uint8Array): void {
    this.#renderer?.push(bytes);
  }

  /** Some of the bytes never came. */
  lose(): void {
    this.#lost = true;
  }

  /** Adds what the screen shows beyond what came, where the two agree up to there. */
  async complete(screen: readonly string[]): Promise<void> {
    await this.flush();
    const came = this.from(0, { maxLines: screen.length, maxBytes: Infinity });
    const shown = screen.join("\n");
    if (came.totalLines > screen.length || !shown.startsWith(came.output)) return;
    this.push(encoder.encode(shown.slice(came.output.length).replaceAll("\n", "\r\n")));
  }

  async finish(): Promise<void> {
    await this.#renderer?.finish();
    this.#alternateScreen = this.alternateScreen;
    this.#renderer = undefined;
  }

  /** Resolves when everything pushed so far is in what `head` and `from` answer. */
  async flush(): Promise<void> {
    await this.#renderer?.flush();
  }

  /** Whether anything was shown on the alternate screen. */
  get alternateScreen(): boolean {
    return this.#renderer?.alternateScreen ?? this.#alternateScreen;
  }

  /** The first quarter of the allowance and the last three quarters, with a line between that says what is left out. */
  ends({ maxLines, maxBytes }: OutputLimit): OutputView {
    const { lines, totals } = this.#settled();
    if (lines.lines <= maxLines && lines.bytes <= maxBytes) {
      return this.#view(lines.read(0, { lines: maxLines, bytes: maxBytes }).text, totals);
    }
    const first = { lines: Math.floor(maxLines / 4), bytes: Math.floor(maxBytes / 4) };
    const last = { lines: maxLines - first.lines, bytes: maxBytes - first.bytes };
    const head = lines.read(0, first);
    // One line too long for an answer is cut in its middle.
    const tail = lines.readTail(last, lines.lines === 1 ? 0 : head.lines);
    const parts = [...part(head), ...gap(lines, head, tail), ...part(tail)];
    return {
      ...this.#view(maxLines > 0 && maxBytes > 0 ? parts.join("\n") : "", totals),
      outputTruncated: true,
      ...(head.lines < lines.lines ? { nextOffset: head.lines } : {}),
    };
  }

  /** Lines from number `offset` (0-based) on. */
  from(offset: number, { maxLines, maxBytes }: OutputLimit): OutputView {
    const { lines, totals } = this.#settled();
    const slice = lines.read(offset, { lines: maxLines, bytes: maxBytes });
    const next = offset + slice.lines;
    return {
      ...this.#view([slice.text, ...cutNote(slice, "this")].join("\n"), totals),
      ...(slice.lines < lines.lines || slice.cut !== undefined ? { outputTruncated: true } : {}),
      ...(next < lines.lines ? { nextOffset: next } : {}),
    };
  }

  /** The last line that has text. */
  lastLine(): string {
    const last = this.#unsettled().findLast((line) => line.trim() !== "");
    return (last ?? this.#lines.readTail({ lines: 1, bytes: 1024 }).text).trim();
  }

  #unsettled(): string[] {
    return this.#renderer?.unsettled() ?? [];
  }

  /** All lines as they stand, those that may still change among them. */
  #settled(): { lines: MemoryLines; totals: Pick<OutputView, "totalLines" | "totalBytes"> } {
    const unsettled = this.#unsettled();
    const lines = unsettled.length === 0 ? this.#lines : this.#lines.extended(
      encoder.encode(unsettled.map((line) => `${line}\n`).join("")),
      unsettled.length,
    );
    return { lines, totals: { totalLines: lines.lines, totalBytes: lines.bytes } };
  }

  #view(output: string, totals: Pick<OutputView, "totalLines" | "totalBytes">): OutputView {
    return {
      output,
      ...totals,
      ...(this.#lost || !this.#lines.isWhole ? { outputTruncated: true } : {}),
      ...(this.alternateScreen ? { alternateScreen: true } : {}),
    };
  }
}

function part({ text, lines }: LineSlice): string[] {
  return lines === 0 ? [] : [text];
}

/** Says what is left out between two ends. */
function gap(all: MemoryLines, head: LineSlice, tail: LineSlice): string[] {
  if (all.lines === 1) {
    return cutNote({ cut: all.bytes - encoder.encode(head.text + tail.text).length }, "this");
  }
  const lines = all.lines - head.lines - tail.lines;
  const between = lines > 0 ? [`[${lines} lines left out here; offset ${head.lines} reads on]`] : [];
  return [...cutNote(head, "this"), ...between, ...cutNote(tail, "the next")];
}

function cutNote({ cut }: Pick<LineSlice, "cut">, which: string): string[] {
  return cut === undefined
    ? []
    : [`[${cut} bytes of ${which} line left out here; a larger maxBytes holds it]`];
}
