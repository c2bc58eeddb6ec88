// Output of one command as text: all of it, and the part that fits into a result.
import {
  type CursorPosition,
  missingOutput,
  missingSoFar,
  type ReceivedOutput,
  SAME_LINES,
} from "../terminal/final_output.ts";
import { MaskedLines } from "../masking/masked_lines.ts";
import type { Masks } from "../masking/masks.ts";
import { foldedEnds, foldedPart } from "../output/folded_ends.ts";
import type { Folding } from "../output/fold.ts";
import { grep, type GrepOptions } from "../output/grep.ts";
import { type Keep, MemoryLines } from "../terminal/memory_lines.ts";
import { noteCut, type OutputLimit, readEnds } from "./output_ends.ts";
import { MISSING_OUTPUT } from "../terminal/emulator_queue.ts";
import { drawsNothing } from "../terminal/sequence.ts";
import { TextRenderer, type TextRendererOptions } from "../terminal/text.ts";

/** Part of a command's output, as a CommandResult carries it. */
export interface OutputView {
  /** Plain text: no escape sequences, wrapped lines joined. */
  output: string;
  /** True if lines are left out. */
  outputTruncated?: boolean;
  /** Lines of the whole output. */
  totalLines: number;
  /** UTF-8 bytes of the whole output. */
  totalBytes: number;
  /** True if the command used the alternate screen, as full-screen programs do. */
  alternateScreen?: boolean;
  /** Number of the first line that is not in `output`. */
  nextOffset?: number;
  /** Number of matching lines, if lines were searched for. */
  matches?: number;
}

/** Selects the part of an output to show. */
export interface OutputQuery {
  /** `ends`: beginning and end, if the output does not fit. */
  part: "ends" | "head" | "tail";
  /** Number of the first line, from 0. */
  from: number;
  fold?: Folding | undefined;
  grep?: Pick<GrepOptions, "pattern" | "context" | "signal"> | undefined;
  /** Read findings; undefined: only if the command failed. */
  findings?: boolean | undefined;
}

const encoder = new TextEncoder();
/** Position of a command's first output, among the lines of its pane from there on. */
const START: CursorPosition = { row: 0, column: 0, lines: 0, pending: "" };

export interface CommandOutputOptions extends TextRendererOptions {
  /** Mask lines before they are kept. */
  masks?: Masks | undefined;
}

export class CommandOutput {
  readonly #masks: Masks | undefined;
  readonly #lines: MemoryLines;
  /** Dropped once the output is complete: then every line is in the sink, and a kept record costs only its text. */
  #renderer: TextRenderer | undefined;
  readonly #copy: ((bytes: Uint8Array) => void) | undefined;
  #alternateScreen = false;
  #lost = false;
  /** Set if the last thing received is a gap, which the screen may fill. */
  #gap: { readonly wasLossy: boolean } | undefined;
  #printedAt = -Infinity;
  readonly #columns: number;
  /** True if the pane has had another width: then its rows may have other numbers than before. */
  #isRewrapped = false;

  /** `keep` stores finished lines; `copy` receives the bytes that are pushed. */
  constructor({ masks, ...options }: CommandOutputOptions, keep?: Keep, copy?: (bytes: Uint8Array) => void) {
    this.#copy = copy;
    this.#masks = masks;
    this.#columns = options.columns;
    this.#lines = new MemoryLines(keep);
    this.#renderer = new TextRenderer(options, masks ? new MaskedLines(masks, this.#lines) : this.#lines);
  }

  /** Time of the last output that drew anything (`performance.now()`). */
  get printedAt(): number {
    return this.#printedAt;
  }

  push(bytes: Uint8Array): void {
    this.#endGap();
    this.#push(bytes);
  }

  /** Sets a new width and height of the pane, which later output is printed for. */
  resize(columns: number, rows: number): void {
    this.#isRewrapped ||= columns !== this.#columns;
    this.#renderer?.resize(columns, rows);
  }

  /** Notes that bytes are missing here; a line says so once more output comes. */
  gap(): void {
    this.#gap ??= { wasLossy: this.#lost };
    this.lose();
  }

  #push(bytes: Uint8Array): void {
    if (!drawsNothing(bytes)) this.#printedAt = performance.now();
    this.#copy?.(bytes);
    this.#renderer?.push(bytes);
  }

  #endGap(): void {
    if (!this.#gap) return;
    this.#gap = undefined;
    this.#push(MISSING_OUTPUT);
  }

  get isLossy(): boolean {
    return this.#lost || (this.#renderer?.isLossy ?? false);
  }

  lose(): void {
    this.#lost = true;
  }

  /** Adds what the screen shows beyond the output so far, and returns the added bytes; undefined if that is unknown. */
  async complete(screen: readonly string[]): Promise<Uint8Array | undefined> {
    await this.flush();
    const came = this.#renderer && this.#received(this.#renderer);
    const isFound = came && (!this.#isRewrapped || came.lines > 0 || came.pending !== "");
    const missing = isFound && missingOutput(screen, START, came);
    if (!missing) return undefined;
    if (this.#gap) this.#lost = this.#gap.wasLossy;
    this.#gap = undefined;
    if (missing.length > 0) this.push(missing);
    return missing;
  }

  /** Returns the bytes by which a running program's screen is ahead of the output; undefined if that is unknown. */
  async missing(screen: readonly string[]): Promise<Uint8Array | undefined> {
    await this.flush();
    return this.#renderer && missingSoFar(screen, START, this.#received(this.#renderer));
  }

  /** Completes the output. Afterwards it can be read even if this rejects, as far as it was rendered. */
  async finish(): Promise<void> {
    try {
      this.#endGap();
      await this.#renderer?.finish();
      this.#lines.seal();
    } finally {
      this.#lost = this.isLossy;
      this.#alternateScreen = this.alternateScreen;
      this.#renderer = undefined;
    }
  }

  /** Resolves when `view` includes everything pushed so far. */
  async flush(): Promise<void> {
    await this.#renderer?.flush();
  }

  /** True if anything was shown on the alternate screen. */
  get alternateScreen(): boolean {
    return this.#renderer?.alternateScreen ?? this.#alternateScreen;
  }

  /** True if the alternate screen is shown now. */
  get isFullScreen(): boolean {
    return this.#renderer?.onAlternateScreen ?? false;
  }

  async view({ part, from, fold, grep }: OutputQuery, limit: OutputLimit): Promise<OutputView> {
    if (grep) return await this.#matching({ ...grep, ...limit, fromEnd: part === "tail" }, from);
    const folded = fold && this.#folded({ part, from, fold }, limit);
    if (folded) return folded;
    if (part === "tail") return this.#tail(from, limit);
    if (part === "head") return this.from(from, limit);
    return this.ends(limit);
  }

  async #matching(options: GrepOptions, from: number): Promise<OutputView> {
    const { lines } = this;
    const source = options.fromEnd ? lines.backward(from) : lines.forward(from);
    const { text, matches, isCut, ...found } = await grep(source, options);
    const next = options.fromEnd && isCut ? from : found.next;
    return { ...this.#view(text, lines, { isCut, next }), matches };
  }

  #folded(
    { part, from, fold }: { part: OutputQuery["part"]; from: number; fold: Folding },
    { maxLines, maxBytes }: OutputLimit,
  ): OutputView | undefined {
    const { lines } = this;
    const limit = { lines: maxLines, bytes: maxBytes };
    const folded = part === "ends"
      ? foldedEnds(lines, limit, fold)
      : foldedPart(lines, { ...limit, from, fromEnd: part === "tail" });
    return folded && this.#view(folded.text, lines, { isCut: folded.next !== undefined, next: folded.next });
  }

  /** Returns the last lines, but none before line number `from`. */
  #tail(from: number, { maxLines, maxBytes, more }: OutputLimit): OutputView {
    const { lines } = this;
    const tail = lines.readTail({ lines: maxLines, bytes: maxBytes }, from);
    const omitted = Math.max(lines.lines - tail.lines - from, 0);
    const before = omitted === 0 ? [] : [`[${omitted} lines left out here; offset ${from} continues]`];
    return this.#view([...before, ...noteCut(tail, "the next", more), tail.text].join("\n"), lines, {
      isCut: omitted > 0 || tail.cut !== undefined,
      next: omitted > 0 ? from : undefined,
    });
  }

  /** Returns beginning and end, if the output does not fit. */
  ends(limit: OutputLimit): OutputView {
    const { lines } = this;
    const { text, ...rest } = readEnds(lines, limit);
    return this.#view(text, lines, rest);
  }

  /** Returns lines from number `offset` (0-based) on. */
  from(offset: number, { maxLines, maxBytes, more }: OutputLimit): OutputView {
    const { lines } = this;
    const slice = lines.read(offset, { lines: maxLines, bytes: maxBytes });
    const next = offset + slice.lines;
    return this.#view([slice.text, ...noteCut(slice, "this", more)].join("\n"), lines, {
      isCut: slice.lines < lines.lines || slice.cut !== undefined,
      next: next < lines.lines ? next : undefined,
    });
  }

  lastLine(): string {
    const last = this.#masked(this.#unsettled()).findLast((line) => line.trim() !== "");
    return (last ?? this.#lines.readTail({ lines: 1, bytes: 1024 }).text).trim();
  }

  #received(renderer: TextRenderer): ReceivedOutput {
    const { lines } = this;
    const pending = renderer.pending();
    // A line without text is not among `lines` yet.
    const unfinished = pending.trim() === "" ? 0 : 1;
    const tail = lines.readTail({ lines: SAME_LINES + unfinished, bytes: Infinity }).text.split("\n");
    return { lines: lines.lines - unfinished, pending, last: tail.slice(0, tail.length - unfinished) };
  }

  /** All lines, including those that may still change. */
  get lines(): MemoryLines {
    const unsettled = this.#masked(this.#unsettled());
    if (unsettled.length === 0) return this.#lines;
    const text = unsettled.map((line) => `${line}\n`).join("");
    return this.#lines.extended(encoder.encode(text), unsettled.length);
  }

  #masked(lines: string[]): string[] {
    return this.#masks && lines.length > 0 ? lines.map((line) => this.#masks!.text(line)) : lines;
  }

  #unsettled(): string[] {
    return this.#renderer?.unsettled() ?? [];
  }

  #view(
    output: string,
    { lines: totalLines, bytes: totalBytes }: MemoryLines,
    { isCut, next }: { isCut: boolean; next?: number | undefined },
  ): OutputView {
    return {
      output,
      totalLines,
      totalBytes,
      ...(isCut || this.isLossy || !this.#lines.isWhole ? { outputTruncated: true } : {}),
      ...(this.alternateScreen ? { alternateScreen: true } : {}),
      ...(next === undefined ? {} : { nextOffset: next }),
    };
  }
}
