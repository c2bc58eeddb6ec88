// Final output of a program whose pane stays, read from the screen of the dead pane.
import {
  type CursorPosition,
  missingOutput,
  readShown,
  type ReceivedOutput,
} from "../src/terminal/final_output.ts";
import { bestEffort } from "../src/promises.ts";
import { dropStep } from "../src/tmux/capture/grid.ts";
import type { PaneStream } from "./sources/pane_stream.ts";

/** `message`: tmux has drawn one on the last row of the dead pane. */
const FIELDS = {
  history: "#{history_size}",
  limit: "#{history_limit}",
  row: "#{cursor_y}",
  column: "#{cursor_x}",
  width: "#{pane_width}",
  alternate: "#{alternate_on}",
  dead: "#{pane_dead}",
  message: "#{?pane_dead_time,#{?remain-on-exit-format,1,0},0}",
};

type Place = Record<keyof typeof FIELDS, number>;

/** Number of attempts to read a dead pane: tmux scrolls it once, when it draws its message. */
const TRIES = 3;
/** Rows above the screen that are searched where row numbers say nothing. */
const MAX_SEARCHED = 10_000;

export interface FinalOutputOptions {
  pane: { paneId: string; columns: number };
  stream: PaneStream;
  received(): ReceivedOutput;
}

export class FinalOutput {
  readonly #options: FinalOutputOptions;
  #width: number;
  /** Undefined if what is missing later can't be told from what the pane showed before. */
  #from: CursorPosition & { width: number } | undefined;

  constructor(options: FinalOutputOptions) {
    this.#options = options;
    this.#width = options.pane.columns;
  }

  /** Notes the cursor's place before the program ends, and where a new width has moved it. */
  async begin(): Promise<void> {
    const { stream, received } = this.#options;
    await stream.send([this.#query, this.#capture()], ({ failed, printed }) => {
      const [place, ...rows] = split(printed);
      if (failed || place.dead === 1) return;
      const { history, row, column, width } = place;
      this.#width = width;
      const isUncertain = place.alternate === 1;
      const isLast = isUncertain || rows.slice(row + 1).every((each) => each.trim() === "");
      const { lines, pending } = received();
      this.#from = isLast ? { row: history + row, column, width, lines, pending, isUncertain } : undefined;
    });
  }

  /** Begins again if the width is new, because every row may have another number then. */
  sized(columns: number): void {
    if (columns === this.#width) return;
    this.#width = columns;
    bestEffort(this.begin());
  }

  /** Returns the missing output as bytes of the pane, none if all of it came; undefined if that is unknown. */
  async read(): Promise<Uint8Array | undefined> {
    const { stream, received } = this.#options;
    const from = this.#from;
    for (let tries = 0; from && tries < TRIES; tries++) {
      const { history, limit, width } = split((await stream.send([this.#query])).printed)[0];
      // tmux drops a tenth of a full history at a time.
      const isUncertain = from.isUncertain || width !== from.width || history > limit - dropStep(limit);
      const start = isUncertain ? -Math.min(history, MAX_SEARCHED) : from.row - history;
      const { failed, printed } = await stream.send([this.#query, this.#capture("-J", "-S", `${start}`)]);
      const [place, ...rows] = split(printed);
      if (failed || place.alternate === 1) return undefined;
      if (place.history !== history) continue;
      const shown = place.message === 1 ? rows.slice(0, -1) : rows;
      return missingOutput(readShown(shown.join("\n")), { ...from, isUncertain }, received());
    }
    return undefined;
  }

  get #query(): string[] {
    return ["display-message", "-p", "-t", this.#options.pane.paneId, Object.values(FIELDS).join(" ")];
  }

  #capture(...options: string[]): string[] {
    return ["capture-pane", "-p", ...options, "-t", this.#options.pane.paneId];
  }
}

function split(printed: string): [Place, ...string[]] {
  const [described = "", ...rows] = printed.replace(/\n$/, "").split("\n");
  const values = described.split(" ").map(Number);
  return [Object.fromEntries(Object.keys(FIELDS).map((name, at) => [name, values[at]])) as Place, ...rows];
}
