// Keeps loaders out of a watched pane's lines: what a server types at a prompt, and erases, to run a command.
import { isPartOfLoader, mayShowLoader, namesLoader, showsLoader } from "../../src/shell/loader_lines.ts";
import type { LineBlock, LineRange } from "../../src/terminal/line_block.ts";

/** Mark R, which the shell prints once it runs the loader. */
const READY = "\x1b]133;R;";
/** Time (ms) to wait for mark R: then the lines are text that only looks like a loader, such as a listing. */
const WAIT_MS = 1000;
/** Maximum size (bytes) of a push whose every line is read; an editor echoes a loader in less (fish: 2,700 bytes). */
const MAX_ECHO = 8192;
/** Echo of the key with which a line without an editor is checked, before the loader is typed. */
const REPRINTED = /\^R$/m;
/** busybox goes back up to the last column of a row, in one write, so a loader's first rows show few characters. */
// deno-lint-ignore no-control-regex
const LAST_COLUMN = /\r\x1b\[1A\x1b\[\d+C/;

const decoder = new TextDecoder("latin1");
const lineDecoder = new TextDecoder();

/** Lines of one push of the pane's bytes. */
export interface Push {
  bytes: Uint8Array;
  block: LineBlock;
  /** Offset in the stream after these bytes. */
  offset: number;
}

/**
 * Holds lines that look like a loader until mark R drops them. Other lines pass at once, also those that a background
 * job prints between. Without the mark, the held lines pass late.
 */
export class LoaderFilter {
  readonly #release: (lines: LineBlock) => void;
  #held: LineBlock[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** End of the last bytes, in which mark R may have begun. */
  #tail = "";

  /** @param release Receives lines that turn out to be no loader */
  constructor(release: (lines: LineBlock) => void) {
    this.#release = release;
  }

  /** Returns the lines that are no loader. */
  take(push: Push): LineBlock {
    const { block } = push;
    if (this.#held.length > 0) return this.#sort(push);
    this.#tail = "";
    const { text } = block;
    const isEcho = push.bytes.length <= MAX_ECHO
      ? mayShowLoader(text) || REPRINTED.test(text) || drawsLastColumn(push)
      : namesLoader(text);
    return isEcho ? this.#sort(push) : block;
  }

  /** Passes the held lines. */
  flush(): void {
    const held = this.#held;
    this.#drop();
    for (const lines of held) this.#release(lines);
  }

  #sort(push: Push): LineBlock {
    const { bytes, block, offset } = push;
    const marks = this.#findMarks(bytes, offset);
    const isDrawn = drawsLastColumn(push);
    const passed: LineRange[] = [];
    for (const range of block.ranges()) {
      while (marks.length > 0 && marks[0]! < block.streamAt(range.end)) {
        this.#drop();
        marks.shift();
      }
      if (this.#isHeld(lineDecoder.decode(block.bytes.subarray(range.begin, range.end - 1)), isDrawn)) {
        this.#hold(block.keep([range], []));
      } else passed.push(range);
    }
    if (marks.length > 0) this.#drop();
    return passed.length === block.lines ? block : block.keep(passed, block.bells);
  }

  #isHeld(line: string, isDrawn: boolean): boolean {
    return showsLoader(line) || REPRINTED.test(line) ||
      (isDrawn || this.#held.length > 0) && isPartOfLoader(line);
  }

  #hold(line: LineBlock): void {
    this.#held.push(line);
    this.#timer ??= setTimeout(() => this.flush(), WAIT_MS);
  }

  #drop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#held = [];
  }

  /** Offsets in the stream at which a mark R begins that these bytes complete. */
  #findMarks(bytes: Uint8Array, offset: number): number[] {
    const text = this.#tail + decoder.decode(bytes);
    this.#tail = text.slice(-(READY.length - 1));
    const marks: number[] = [];
    for (let at = text.indexOf(READY); at >= 0; at = text.indexOf(READY, at + 1)) {
      marks.push(offset - text.length + at);
    }
    return marks;
  }
}

function drawsLastColumn({ bytes, block }: Push): boolean {
  return block.lines > 0 && bytes.length <= MAX_ECHO && LAST_COLUMN.test(decoder.decode(bytes));
}
