// Keeps from triggers the command lines that servers show at a prompt, before the commands run.
import { SHOWN_MARK, SHOWN_START } from "../../src/shell/screen.ts";
import type { LineBlock, LineRange } from "../../src/terminal/line_block.ts";
import type { Push } from "./loader_filter.ts";

/** Beginning of every mark: if it isn't mark S, the drawing shows no command. */
const MARK = "\x1b]133;";
/** Time (ms) to wait for mark S: then another program has printed the lines. */
const WAIT_MS = 1000;
/** Maximum size (bytes) of a drawing; the longest command that is shown has 16,384 characters. */
const MAX_DRAWING = 1 << 17;
const ESC = "\x1b";

const decoder = new TextDecoder("latin1");

/** Place in the stream at which a drawing starts, or that ends one. */
interface Turn {
  at: number;
  kind: "start" | "shown" | "other";
}

export interface ShownCommandsOptions {
  /** Receives lines that turn out to show no command. */
  release(lines: LineBlock): void;
  /** Mark S has not come in time, so the line being written counts too. */
  gaveUp(): void;
}

/** Holds the lines of a drawing until mark S drops them. Without the mark, they pass late. */
export class ShownCommands {
  readonly #options: ShownCommandsOptions;
  /** Offset in the stream at which the drawing starts that has not ended. */
  #start: number | undefined;
  /** Its lines, from earlier pushes. */
  #held: LineBlock[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** End of the last bytes, in which a sequence may have begun. */
  #tail = "";

  constructor(options: ShownCommandsOptions) {
    this.#options = options;
  }

  /** True while the line being written may be part of a command that is shown. */
  get isShowing(): boolean {
    return this.#start !== undefined;
  }

  /** Returns the lines that show no command. */
  take({ bytes, block, offset }: Push): LineBlock {
    const turns = this.#findTurns(bytes, offset);
    if (!this.isShowing && turns.length === 0) return block;
    const passed: LineRange[] = [];
    let drawn: LineRange[] = [];
    const pass = (turn: Turn): void => {
      if (turn.kind !== "shown") passed.push(...drawn);
      drawn = [];
      this.#pass(turn);
    };
    for (const range of block.ranges()) {
      while (turns.length > 0 && turns[0]!.at < block.streamAt(range.end)) pass(turns.shift()!);
      (this.isShowing ? drawn : passed).push(range);
    }
    turns.forEach(pass);
    if (this.#start !== undefined && offset - this.#start > MAX_DRAWING) pass({ kind: "other", at: offset });
    if (drawn.length > 0) this.#held.push(block.keep(drawn, []));
    return passed.length === block.lines ? block : block.keep(passed, block.bells);
  }

  /** Passes the held lines. */
  flush(): void {
    const held = this.#held;
    this.#end();
    for (const lines of held) this.#options.release(lines);
  }

  #pass({ kind, at }: Turn): void {
    if (kind === "shown") return this.#end();
    this.flush();
    if (kind === "other") return;
    this.#start = at;
    this.#timer = setTimeout(() => this.#giveUp(), WAIT_MS);
  }

  #giveUp(): void {
    this.flush();
    this.#options.gaveUp();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#start = undefined;
    this.#held = [];
  }

  /** Finds the turns that these bytes complete. Without a drawing, most output has none. */
  #findTurns(bytes: Uint8Array, offset: number): Turn[] {
    if (this.#tail === "" && !bytes.includes(ESC.charCodeAt(0))) return [];
    const text = this.#tail + decoder.decode(bytes);
    const isRead = this.isShowing || text.includes(SHOWN_START);
    const turns: Turn[] = [];
    let next = Math.max(0, text.length - SHOWN_START.length + 1);
    for (let at = isRead ? text.indexOf(ESC) : -1; at >= 0; at = text.indexOf(ESC, at + 1)) {
      const turn = turnAt(text, at);
      if (!turn) continue;
      next = Math.max(next, turn.next);
      turns.push({ kind: turn.kind, at: offset - text.length + (turn.kind === "start" ? turn.next : at) });
    }
    const begun = text.indexOf(ESC, next);
    this.#tail = begun < 0 ? "" : text.slice(begun);
    return turns;
  }
}

function turnAt(text: string, at: number): { kind: Turn["kind"]; next: number } | undefined {
  if (text.startsWith(SHOWN_START, at)) return { kind: "start", next: at + SHOWN_START.length };
  const next = at + SHOWN_MARK.length;
  if (next > text.length || !text.startsWith(MARK, at)) return undefined;
  return { kind: text.startsWith(SHOWN_MARK, at) ? "shown" : "other", next };
}
