// Output of one pane as text: its lines, the triggers that read them, and its last part.
import type { ReceivedOutput } from "../../src/terminal/final_output.ts";
import { showsLoader } from "../../src/shell/loader_lines.ts";
import type { LineBlock } from "../../src/terminal/line_block.ts";
import { LineReader } from "../../src/terminal/lines.ts";
import type { FollowSpec, PaneRef, Report } from "../../src/watch/protocol.ts";
import type { Patterns } from "./patterns.ts";
import { LoaderFilter } from "./loader_filter.ts";
import { ProgressThrottle } from "./progress_throttle.ts";
import { ShownCommands } from "./shown_commands.ts";
import { Tail } from "./tail.ts";
import { type Fired, TextTriggers } from "./text_triggers.ts";

export interface PaneTextOptions {
  pane: PaneRef;
  spec: FollowSpec;
  patterns: Patterns;
  fired(fired: Fired): void;
  failed(error: unknown): void;
}

/** Time (ms) without output, or while the line is only rewritten, after which an unfinished line counts. */
const REST_MS = 50;

export class PaneText {
  readonly #options: PaneTextOptions;
  readonly #triggers: TextTriggers;
  /** Undefined if no lines are needed. */
  readonly #reader: LineReader | undefined;
  readonly #loaders = new LoaderFilter((lines) => this.#release(lines));
  readonly #shown = new ShownCommands({
    release: (lines) => this.#handled(() => this.#scan(lines)),
    gaveUp: () => {
      if (this.#resting === undefined) this.#rested();
    },
  });
  readonly #tail = new Tail();
  readonly #throttle: ProgressThrottle | undefined;
  /** Last line of the last progress. */
  #reported = "";
  #isFinished = false;
  #isScanned: boolean;
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PaneTextOptions) {
    const { pane: { columns }, spec, patterns } = options;
    this.#options = options;
    this.#triggers = new TextTriggers(spec.triggers, spec, patterns);
    this.#isScanned = spec.triggers.length > 0;
    const isRead = spec.triggers.length > 0 || spec.pace !== undefined || spec.held === true;
    this.#reader = isRead ? new LineReader({ columns }) : undefined;
    this.#throttle = spec.pace && new ProgressThrottle(spec.pace);
    if (spec.resumed) this.gap();
    if (spec.marks?.last?.kind === "done") this.finish();
  }

  set columns(columns: number) {
    if (this.#reader) this.#reader.columns = columns;
  }

  push(bytes: Uint8Array): void {
    const reader = this.#reader;
    if (!reader) return;
    const block = reader.push(bytes, performance.now());
    const lines = this.#loaders.take({ block, bytes, offset: reader.offset });
    this.#keep(lines);
    if (!this.#isScanned) return;
    this.#scan(this.#shown.take({ block: lines, bytes, offset: reader.offset }));
    // A line that is rewritten all the time (a spinner) never rests.
    if (this.#resting !== undefined && reader.isEdited && block.lines === 0) return;
    this.#stopResting();
    if (this.#triggers.readsLines && reader.begun) this.#resting = setTimeout(() => this.#rested(), REST_MS);
  }

  #rested(): void {
    this.#resting = undefined;
    this.#handled(() => this.scanUnfinished({ isOpen: true }));
  }

  #stopResting(): void {
    clearTimeout(this.#resting);
    this.#resting = undefined;
  }

  get offset(): number {
    return this.#reader?.offset ?? 0;
  }

  /** Reads the unfinished line as if it were finished. `isOpen`: its program may still add to it. */
  scanUnfinished({ isOpen = false } = {}): void {
    if (!this.#isScanned || !this.#reader || this.#shown.isShowing) return;
    const fired = this.#triggers.scanLine(this.#pending(), this.#reader.offset, { isOpen });
    if (fired) this.#options.fired(fired);
  }

  /** True while triggers read the output. */
  get isScanned(): boolean {
    return this.#isScanned;
  }

  /** Stops the triggers: none reads later output. */
  stopScanning(): void {
    this.#isScanned = false;
    this.#stopResting();
    this.#shown.flush();
  }

  gap(): void {
    this.#shown.flush();
    this.#tail.gap();
  }

  /** Ends the output; all that comes later is dropped. */
  finish(): void {
    this.#loaders.flush();
    if (this.#reader) this.#tail.add(this.#reader.finish());
    this.#isFinished = true;
  }

  progress(now: number): { newLines: number; lastLine: string } | undefined {
    const newLines = this.#throttle?.due(this.#tail.lines, now);
    return newLines === undefined ? undefined : { newLines, lastLine: this.#newLastLine(newLines) };
  }

  /** Returns the last new line with text, finished or not; nothing if it was reported before. */
  #newLastLine(newLines: number): string {
    const line = this.#pending().trim() || this.#tail.lastLine(newLines);
    const isOld = newLines === 0 && line === this.#reported;
    this.#reported = line;
    return isOld ? "" : line;
  }

  /** Time at which progress is due, unless enough lines come before. */
  get progressDueAt(): number {
    return this.#throttle?.dueAt(this.#tail.lines) ?? Infinity;
  }

  latest(): ReceivedOutput {
    this.#loaders.flush();
    const { output } = this.#tail.text("");
    return { lines: this.#tail.lines, pending: this.#pending(), last: output.split("\n") };
  }

  report(): Omit<Report, "state"> {
    this.#loaders.flush();
    const pending = this.#isFinished ? "" : this.#pending();
    const { output, truncated } = this.#tail.text(pending);
    const totalLines = this.#tail.lines + (pending === "" ? 0 : 1);
    return { output, outputTruncated: truncated, totalLines, totalBytes: this.#tail.totalBytes(pending) };
  }

  /** Returns the unfinished line, unless a command is being typed there. */
  #pending(): string {
    const line = this.#reader?.pending() ?? "";
    return showsLoader(line) ? "" : line;
  }

  #keep(block: LineBlock): void {
    if (!this.#isFinished) this.#tail.add(block);
  }

  #scan(block: LineBlock): void {
    if (!this.#isScanned) return;
    const fired = this.#triggers.scan(block);
    if (fired) this.#options.fired(fired);
  }

  #release(lines: LineBlock): void {
    this.#keep(lines);
    this.#handled(() => this.#scan(lines));
  }

  #handled(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#options.failed(error);
    }
  }
}
