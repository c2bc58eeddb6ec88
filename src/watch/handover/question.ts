// Asks the kernel if a program still waits for the answer to one question; it never reads the answer.
import { delay } from "../../timer.ts";
import { type PaneInspection, type PaneProcess, readerOf } from "../../process/probe.ts";
import type { ProcessInspector } from "../../process/process_inspector.ts";
import { flag, int, type RowOf } from "../../tmux/columns.ts";
import type { Tmux } from "../../tmux/tmux.ts";

const PLACE = {
  column: int("#{cursor_x}"),
  row: int("#{cursor_y}"),
  history: int("#{history_size}"),
  /** A value that changes when lines scroll off, even with a full history. */
  historyBytes: int("#{history_bytes}"),
  alternate: flag("#{alternate_on}"),
};

type Place = RowOf<typeof PLACE>;

/** Time between two inspections: a program that has read an answer keeps working for longer (ms). */
const REST_MS = 10;
/** A program that takes keys reads them one by one, and is inspected again after each. */
const KEY_REST_MS = 250;
const POLL_MS = 20;
/** Pause between two inspections, as a multiple of the time one takes: on another machine that is long. */
const REST_FACTOR = 4;

export interface QuestionOptions {
  tmux: Tmux;
  pane: PaneProcess & { paneId: string };
}

export class Question {
  readonly #options: QuestionOptions;
  readonly #inspector: ProcessInspector;
  readonly #asked: PaneInspection;
  readonly #reader: number;
  #slept: number | undefined;
  #place: Place;

  private constructor(options: QuestionOptions, asked: PaneInspection, { place, slept }: {
    place: Place;
    slept: number | undefined;
  }) {
    this.#options = options;
    this.#inspector = options.tmux.machine.inspector;
    this.#asked = asked;
    this.#reader = readerOf(asked).pid;
    this.#place = place;
    this.#slept = slept;
  }

  /** The question that a program waits with now; undefined where it does not wait. */
  static async read(options: QuestionOptions): Promise<Question | undefined> {
    const { tmux, pane } = options;
    const { inspector } = tmux.machine;
    const asked = await inspector.inspect(pane);
    if (!asked.waitingForInput) return undefined;
    const slept = await inspector.sleeps(readerOf(asked).pid);
    return new Question(options, asked, { place: await tmux.rows.read(PLACE, pane.paneId), slept });
  }

  get inspection(): PaneInspection {
    return this.#asked;
  }

  /** False once the pane or its own process has ended, or its tmux server: a killed pane's processes end later. */
  async isAlive(): Promise<boolean> {
    const { tmux, pane } = this.#options;
    const panes = await tmux.snapshot().then(({ panes }) => panes, () => []);
    const isThere = panes.some(({ paneId, pid, dead }) =>
      paneId === pane.paneId && pid === pane.panePid && !dead
    );
    return isThere && (await this.#inspector.inspect(pane)).isAlive;
  }

  /** Settles with true once the answer was read, or the program no longer asks; with false when `signal` aborts. */
  async untilAnswered(signal: AbortSignal): Promise<boolean> {
    let closedAt: number | undefined;
    while (!signal.aborted) {
      const began = performance.now();
      const state = await this.#state();
      const now = performance.now();
      closedAt = state === "open" ? undefined : closedAt ?? now;
      const rest = state === "reading" ? KEY_REST_MS : REST_MS;
      if (state === "next" || closedAt !== undefined && now - closedAt >= rest) return true;
      const pause = closedAt === undefined ? Math.max(POLL_MS, (now - began) * REST_FACTOR) : REST_MS;
      await delay(pause, signal);
    }
    return false;
  }

  /**
   * `open`: still the same question. `next`: another one. `reading`: it takes keys and is at work, perhaps on one key.
   * `over`: nothing is asked.
   */
  async #state(): Promise<"open" | "next" | "reading" | "over"> {
    const { inputKind, foregroundPid } = this.#asked;
    const inspection = await this.#inspector.inspect(this.#options.pane);
    if (inspection.foregroundPid !== foregroundPid) return "over";
    if (!inspection.waitingForInput) return inputKind === "raw" ? "reading" : "over";
    if (inspection.inputKind !== inputKind) return "over";
    const slept = await this.#inspector.sleeps(this.#reader);
    if (slept !== undefined && slept === this.#slept) return "open";
    this.#slept = slept;
    const { tmux, pane } = this.#options;
    const place = await tmux.rows.read(PLACE, pane.paneId);
    const isNext = inputKind === "raw" ? hasScrolled(this.#place, place) : hasMoved(this.#place, place);
    return isNext && slept !== undefined ? "next" : "open";
  }
}

/** A program that takes keys draws on its row while an answer is typed, and a full-screen one wherever it likes. */
function hasScrolled(before: Place, now: Place): boolean {
  if (before.alternate || now.alternate) return before.alternate !== now.alternate;
  return before.row !== now.row || before.history !== now.history ||
    before.historyBytes !== now.historyBytes;
}

function hasMoved(before: Place, now: Place): boolean {
  return hasScrolled(before, now) || before.column !== now.column;
}
