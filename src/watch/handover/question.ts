// Asks the kernel if a program still waits for the answer to a question. The answer itself is never read.
import { delay } from "../../timer.ts";
import { type PaneInspection, type PaneProcess, readerOf } from "../../process/probe.ts";
import type { ProcessInspector } from "../../process/process_inspector.ts";
import { flag, int, type RowOf } from "../../tmux/columns.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import { textBefore } from "../followed_screen.ts";

const PLACE = {
  column: int("#{cursor_x}"),
  row: int("#{cursor_y}"),
  history: int("#{history_size}"),
  /** A value that changes when lines scroll off, even with a full history. */
  historyBytes: int("#{history_bytes}"),
  alternate: flag("#{alternate_on}"),
  width: int("#{pane_width}"),
  height: int("#{pane_height}"),
};

type Place = RowOf<typeof PLACE>;

/** Time (ms) between two inspections: a program that has read an answer keeps working for longer than this. */
const REST_MS = 10;
/** Time (ms) after which a busy program has taken an answer, and not one of several keys or a new size. */
const BUSY_REST_MS = 250;
const POLL_MS = 20;
/** Pause between two inspections, as a multiple of the time one takes, which is long on another machine. */
const REST_FACTOR = 4;

export interface QuestionOptions {
  tmux: Tmux;
  pane: PaneProcess & { paneId: string };
}

export class Question {
  readonly #options: QuestionOptions;
  readonly #inspector: ProcessInspector;
  readonly #inspection: PaneInspection;
  readonly #reader: number;
  #slept: number | undefined;
  #place: Place;
  /** Text before the cursor, where it was then. */
  readonly #line: string;

  private constructor(options: QuestionOptions, inspection: PaneInspection, { place, slept, line }: {
    place: Place;
    slept: number | undefined;
    line: string;
  }) {
    this.#options = options;
    this.#inspector = options.tmux.machine.inspector;
    this.#inspection = inspection;
    this.#reader = readerOf(inspection).pid;
    this.#place = place;
    this.#slept = slept;
    this.#line = line;
  }

  /** Returns the question that a program is waiting on now; undefined if it does not wait. */
  static async read(options: QuestionOptions): Promise<Question | undefined> {
    const { tmux, pane } = options;
    const { inspector } = tmux.machine;
    const inspection = await inspector.inspect(pane);
    if (!inspection.waitingForInput) return undefined;
    const slept = await inspector.sleeps(readerOf(inspection).pid);
    const place = await tmux.rows.read(PLACE, pane.paneId);
    return new Question(options, inspection, { place, slept, line: await readLine(options, place) });
  }

  get inspection(): PaneInspection {
    return this.#inspection;
  }

  /**
   * False once the pane, its own process or its tmux server has ended; a killed pane's processes end later than the
   * pane.
   */
  async isAlive(): Promise<boolean> {
    const { tmux, pane } = this.#options;
    const panes = await tmux.snapshot().then(({ panes }) => panes, () => []);
    const isThere = panes.some(({ paneId, pid, dead }) =>
      paneId === pane.paneId && pid === pane.panePid && !dead
    );
    return isThere && (await this.#inspector.inspect(pane)).isAlive;
  }

  /** Settles with true once the answer was read or the program no longer asks; with false when `signal` aborts. */
  async untilAnswered(signal: AbortSignal): Promise<boolean> {
    let closedAt: number | undefined;
    while (!signal.aborted) {
      const began = performance.now();
      const state = await this.#state();
      const now = performance.now();
      closedAt = state === "open" ? undefined : closedAt ?? now;
      const rest = state === "busy" ? BUSY_REST_MS : REST_MS;
      if (state === "next" || closedAt !== undefined && now - closedAt >= rest) return true;
      const pause = closedAt === undefined ? Math.max(POLL_MS, (now - began) * REST_FACTOR) : REST_MS;
      await delay(pause, signal);
    }
    return false;
  }

  /**
   * `open`: still the same question. `next`: another question. `busy`: the program does something, perhaps with one
   * key or with a new size of its terminal. `over`: nothing is asked any more.
   */
  async #state(): Promise<"open" | "next" | "busy" | "over"> {
    const { inputKind, foregroundPid } = this.#inspection;
    const { tmux, pane } = this.#options;
    const inspection = await this.#inspector.inspect(pane);
    if (inspection.foregroundPid !== foregroundPid) return "over";
    if (!inspection.waitingForInput) {
      if (inputKind === "raw") return "busy";
      // A pane that is gone asks nothing.
      const place = await tmux.rows.read(PLACE, pane.paneId).catch(() => this.#place);
      return this.#isResized(place) ? "busy" : "over";
    }
    if (inspection.inputKind !== inputKind) return "over";
    const slept = await this.#inspector.sleeps(this.#reader);
    if (slept !== undefined && slept === this.#slept) return "open";
    this.#slept = slept;
    const place = await tmux.rows.read(PLACE, pane.paneId);
    const hasMovedOn = this.#isResized(place)
      ? await this.#isElsewhere(place)
      : inputKind === "raw"
      ? hasScrolled(this.#place, place)
      : hasMoved(this.#place, place);
    return hasMovedOn && slept !== undefined ? "next" : "open";
  }

  #isResized({ width, height }: Place): boolean {
    return width !== this.#place.width || height !== this.#place.height;
  }

  /** A new size moves the cursor by itself: the question is known by its text, which may be wrapped now. */
  async #isElsewhere(place: Place): Promise<boolean> {
    const line = await readLine(this.#options, place);
    const isSame = place.alternate || line.includes(this.#line) || (line !== "" && this.#line.endsWith(line));
    if (isSame) this.#place = place;
    return !isSame;
  }
}

/** Reads the text before the cursor. */
async function readLine({ tmux, pane }: QuestionOptions, { row, column }: Place): Promise<string> {
  const rows = ["-S", `${row}`, "-E", `${row}`];
  const text = await tmux.run([["capture-pane", "-p", ...rows, "-t", pane.paneId]]);
  return textBefore(text, { row: 0, column }).trim();
}

/** A program that takes keys draws on its row while an answer is typed; a full-screen program draws anywhere. */
function hasScrolled(before: Place, now: Place): boolean {
  if (before.alternate || now.alternate) return before.alternate !== now.alternate;
  return before.row !== now.row || before.history !== now.history ||
    before.historyBytes !== now.historyBytes;
}

function hasMoved(before: Place, now: Place): boolean {
  return hasScrolled(before, now) || before.column !== now.column;
}
