// Asks the kernel if a program still waits for the answer to a question. The answer itself is never read.
import { isGone } from "../errors.ts";
import { bestEffort } from "../promises.ts";
import { delay } from "../timer.ts";
import { type PaneInspection, type PaneProcess, readerOf } from "../process/probe.ts";
import type { ProcessInspector } from "../process/process_inspector.ts";
import { flag, int, type RowOf } from "../tmux/columns.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { textBefore } from "../watch/followed_screen.ts";

const PLACE = {
  column: int("#{cursor_x}"),
  row: int("#{cursor_y}"),
  history: int("#{history_size}"),
  historyLimit: int("#{history_limit}"),
  /** Bytes of all lines, the one being typed included: tmux makes room for it in quarters of the width. */
  historyBytes: int("#{history_bytes}"),
  alternate: flag("#{alternate_on}"),
  width: int("#{pane_width}"),
  height: int("#{pane_height}"),
};

type Place = RowOf<typeof PLACE>;

/** The cursor's line up to the cursor, and the line above it. */
interface AskedText {
  line: string;
  above: string;
}

/** Time (ms) between two inspections: a program that has read an answer keeps working for longer than this. */
const REST_MS = 10;
/** Time (ms) after which a busy program has taken an answer, and not one of several keys. */
const BUSY_REST_MS = 250;
/** The same if its terminal has a new size, for which it may redraw everything. */
const RESIZED_REST_MS = 1000;
const POLL_MS = 20;
/** Interval (ms) at which the size is read while the program sleeps: a person who attaches may change it. */
const SIZE_POLL_MS = 1000;
/** Maximum number of rows that the cursor's line may have above the cursor's row. */
const MAX_ROWS_ABOVE = 5;
/** Least limit of a history whose size changes whenever a line scrolls off, even once it is full: tmux drops a tenth. */
const MIN_COUNTED_HISTORY = 20;
/** Pause between two inspections, as a multiple of the time one takes, which is long on another machine. */
const REST_FACTOR = 4;

/**
 * `open`: still the same question. `next`: another question. `busy`: the program does something, perhaps with one key.
 * `resized`: it does something, perhaps with a new size of its terminal. `over`: nothing is asked any more.
 */
type QuestionState = "open" | "next" | "busy" | "resized" | "over";

/** Time (ms) for which a question must be closed before it counts as answered. */
const RESTS_MS: Readonly<Record<QuestionState, number>> = {
  open: REST_MS,
  next: 0,
  busy: BUSY_REST_MS,
  resized: RESIZED_REST_MS,
  over: REST_MS,
};

export interface QuestionOptions {
  tmux: Tmux;
  pane: PaneProcess & { paneId: string };
}

export class Question {
  readonly #options: QuestionOptions;
  readonly #inspector: ProcessInspector;
  readonly inspection: PaneInspection;
  readonly #reader: number;
  #slept: number | undefined;
  /** Number of reads that the program had finished when it asked. */
  readonly #readsDone: number | undefined;
  #gaveUp = false;
  #place: Place;
  /** The size that was read last while the program slept. */
  #seenSize = "";
  #sizedAt = performance.now();
  readonly #asked: AskedText;

  private constructor(
    options: QuestionOptions,
    inspection: PaneInspection,
    { place, slept, readsDone, asked }: {
      place: Place;
      readsDone: number | undefined;
      slept: number | undefined;
      asked: AskedText;
    },
  ) {
    this.#options = options;
    this.#inspector = options.tmux.machine.inspector;
    this.inspection = inspection;
    this.#reader = readerOf(inspection).pid;
    this.#place = place;
    this.#slept = slept;
    this.#readsDone = readsDone;
    this.#asked = asked;
  }

  /** Returns the question that a program is waiting on now; undefined if it does not wait. */
  static async read(options: QuestionOptions): Promise<Question | undefined> {
    const { tmux, pane } = options;
    const { inspector } = tmux.machine;
    const inspection = await inspector.inspect(pane);
    if (!inspection.waitingForInput) return undefined;
    const { pid } = readerOf(inspection);
    const slept = await inspector.sleeps(pid);
    // Reads through io_uring are not counted.
    const isCounted = !/\bio_/.test(inspection.evidence);
    const readsDone = isCounted ? await inspector.readsDone?.(pid) : undefined;
    const place = await tmux.rows.read(PLACE, pane.paneId);
    return new Question(options, inspection, {
      ...{ place, slept, readsDone },
      asked: await readText(options, place),
    });
  }

  /**
   * Returns the question of a program that was seen waiting and no longer waits: it may draw for a moment, be busy with
   * one key, or with the size of a person's terminal. Undefined if it does not wait again, and so has its answer.
   */
  static async readAgain(options: QuestionOptions, signal: AbortSignal): Promise<Question | undefined> {
    const until = performance.now() + BUSY_REST_MS;
    let question: Question | undefined;
    while (!question && performance.now() < until && !signal.aborted) {
      await delay(REST_MS, signal);
      question = await Question.read(options);
    }
    return question;
  }

  /** True once the program no longer asks although it has read nothing: it gave a person some seconds (`read -t`). */
  get gaveUp(): boolean {
    return this.#gaveUp;
  }

  /** False once the pane, its own process or its tmux server has ended; a killed pane's processes end later. */
  async isAlive(): Promise<boolean> {
    const { tmux, pane } = this.#options;
    const panes = await tmux.snapshot().then(({ panes }) => panes, (error) => {
      // The connection to a host may be gone while the pane is there.
      if (isGone(error) && tmux.machine.host === undefined) return [];
      throw error;
    });
    const isThere = panes.some(({ paneId, pid, dead }) =>
      paneId === pane.paneId && pid === pane.panePid && !dead
    );
    return isThere && (await this.#inspector.inspect(pane)).isAlive;
  }

  /**
   * Settles with true once the answer was read or the program no longer asks; with false if it still asks when `signal`
   * aborts, which may be because of what the answer led to.
   */
  async untilAnswered(signal: AbortSignal): Promise<boolean> {
    let closedAt: number | undefined;
    for (;;) {
      const isLast = signal.aborted;
      const began = performance.now();
      const state = await this.#stateOfPane();
      const now = performance.now();
      closedAt = state === "open" ? undefined : closedAt ?? now;
      const rest = RESTS_MS[state];
      if (closedAt !== undefined && now - closedAt >= rest) {
        this.#gaveUp = this.#readsDone !== undefined &&
          await this.#inspector.readsDone?.(this.#reader) === this.#readsDone;
        return true;
      }
      if (isLast && closedAt === undefined) return false;
      const pause = closedAt === undefined ? Math.max(POLL_MS, (now - began) * REST_FACTOR) : REST_MS;
      await delay(pause, isLast ? undefined : signal);
    }
  }

  /** Reads the state; `over` if the pane was killed meanwhile, which may wake its program first. */
  async #stateOfPane(): Promise<QuestionState> {
    try {
      return await this.#state();
    } catch (error) {
      if (await this.isAlive()) throw error;
      return "over";
    }
  }

  async #state(): Promise<QuestionState> {
    const { inputKind, foregroundPid } = this.inspection;
    const { tmux, pane } = this.#options;
    const inspection = await this.#inspector.inspect(pane);
    if (inspection.foregroundPid !== foregroundPid) return "over";
    if (!inspection.waitingForInput) {
      if (this.#wakesByKey) return "busy";
      const place = await tmux.rows.read(PLACE, pane.paneId);
      return this.#isResized(place) ? "resized" : "over";
    }
    if (inspection.inputKind !== inputKind) return "over";
    const slept = await this.#inspector.sleeps(this.#reader);
    // In `x=$(whiptail …)` the program that asked was in the group of the shell, which now waits itself.
    if (slept === undefined && readerOf(inspection).pid !== this.#reader) return "over";
    if (slept !== undefined && slept === this.#slept) {
      await bestEffort(this.#followSize());
      return "open";
    }
    const place = await tmux.rows.read(PLACE, pane.paneId);
    const isResized = this.#isResized(place);
    if (isResized && slept !== undefined) {
      const isSame = await this.#isSame(place);
      if (isSame === undefined) return "open";
      // A program that draws for a new size may be seen between two steps.
      if (!isSame) return "resized";
    }
    const isNext = !isResized &&
      (this.#wakesByKey && inputKind !== "password" ? hasScrolled : hasMoved)(this.#place, place);
    this.#slept = slept;
    if (isResized) this.#place = place;
    return isNext && slept !== undefined ? "next" : "open";
  }

  /** Notes a new size that has not woken the program since the last look: what it asks is the same. */
  async #followSize(): Promise<void> {
    if (performance.now() - this.#sizedAt < SIZE_POLL_MS) return;
    this.#sizedAt = performance.now();
    const place = await this.#options.tmux.rows.read(PLACE, this.#options.pane.paneId);
    // Sleeps are counted as they begin: a program that has just been woken has slept as often as before.
    const { waitingForInput } = await this.#inspector.inspect(this.#options.pane);
    const slept = await this.#inspector.sleeps(this.#reader);
    const size = `${place.width}x${place.height} ${slept}`;
    const isQuiet = waitingForInput && slept === this.#slept && size === this.#seenSize;
    if (isQuiet && this.#isResized(place)) this.#place = place;
    this.#seenSize = size;
  }

  /** True if each key wakes the program, or the relay that it is behind. The keys of a password don't move the cursor. */
  get #wakesByKey(): boolean {
    const { inputKind, evidence } = this.inspection;
    return inputKind === "raw" || / behind /.test(evidence);
  }

  #isResized({ width, height }: Place): boolean {
    return width !== this.#place.width || height !== this.#place.height;
  }

  /**
   * True if the same question is on a screen of another size, perhaps with an answer that a person has begun;
   * undefined if the screen changes meanwhile.
   */
  async #isSame(place: Place): Promise<boolean | undefined> {
    if (place.alternate || this.#place.alternate) return place.alternate === this.#place.alternate;
    const { tmux, pane } = this.#options;
    const { line, above } = await readText(this.#options, place);
    const after = await tmux.rows.read(PLACE, pane.paneId);
    if (JSON.stringify(after) !== JSON.stringify(place)) return undefined;
    const asked = this.#asked.line.trim();
    return asked === "" ? above === this.#asked.above : showsAgain(asked, line.trim());
  }
}

/** True if a line shows a prompt again: indented or wrapped in another way, or drawn after a part of itself. */
function showsAgain(asked: string, line: string): boolean {
  const at = line.indexOf(asked);
  return at < 0 ? line !== "" && asked.endsWith(line) : asked.startsWith(line.slice(0, at).trim());
}

/** Reads the text of a question, however its lines are wrapped. */
async function readText({ tmux, pane }: QuestionOptions, { row, column }: Place): Promise<AskedText> {
  const rows = ["-S", `${row - MAX_ROWS_ABOVE}`, "-E", `${row}`];
  const [lines, shown] = await Promise.all([
    tmux.run([["capture-pane", "-p", "-J", ...rows, "-t", pane.paneId]]),
    tmux.run([["capture-pane", "-p", "-S", `${row}`, "-E", `${row}`, "-t", pane.paneId]]),
  ]);
  const before = textBefore(shown, { row: 0, column }).trimEnd();
  const texts = lines.replace(/\n$/, "").split("\n").map((each) => each.trimEnd());
  const line = texts.at(-1) ?? "";
  return { line: line.slice(0, line.lastIndexOf(before) + before.length), above: texts.at(-2) ?? "" };
}

/** A program that takes keys draws on its row while an answer is typed; a full-screen program draws anywhere. */
function hasScrolled(before: Place, now: Place): boolean {
  if (before.alternate || now.alternate) return before.alternate !== now.alternate;
  return before.row !== now.row || before.history !== now.history ||
    now.historyLimit < MIN_COUNTED_HISTORY && before.historyBytes !== now.historyBytes;
}

function hasMoved(before: Place, now: Place): boolean {
  return hasScrolled(before, now) || before.column !== now.column;
}
