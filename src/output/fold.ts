// Folds runs of lines that only repeat or count (progress, downloads, dots) into one line each.
import type { StoredLine } from "../terminal/memory_lines.ts";

/** `always`: fold every run of three lines. `worthwhile`: if that is shorter, and never bare numbers or failures. */
export type Folding = "always" | "worthwhile";

const LEAST_LINES = 3;
const NUMBER = /\d+(?:\.\d+)?/g;
/** Piece of a progress bar with the blanks after it. */
const BAR = /[-.=#*>█▓▒░━─]+ */g;
const COUNTER = /\d+(?:\.\d+)?|[-.=#*>█▓▒░━─]+ */g;
/** Maximum difference in characters between a line and the first of its run. */
const MOST_GROWTH = 200;
/** Range of characters that includes all letters, which no counter has. */
const [LAST_SIGN, FIRST_SPECIAL] = [0x40, 0x80];
const FAILURE = /error|warn|fail|panic|fatal|exception|not ok|[✕✗✖×]/i;

/** Yields the lines in the given order, forwards or backwards; a folded run has its first offset. */
export function* foldLines(lines: Iterable<StoredLine>, folding: Folding): Generator<StoredLine> {
  let run: Run | undefined;
  for (const line of lines) {
    if (run?.takes(line)) continue;
    if (run) yield* run.folded();
    run = new Run(line, folding);
  }
  if (run) yield* run.folded();
}

/** Run of neighboring lines that are equal, or differ only in numbers that count up or down. */
class Run {
  readonly #first: StoredLine;
  readonly #folding: Folding;
  #last: StoredLine;
  #count = 1;
  #kind: "equal" | "counting" | undefined;
  #counters: Counters | undefined;
  /** The lines themselves, until it is certain that the run is folded. */
  #held: StoredLine[] | undefined;
  #length: number;

  constructor(first: StoredLine, folding: Folding) {
    this.#first = this.#last = first;
    this.#folding = folding;
    this.#held = [first];
    this.#length = first.text.length + 1;
  }

  /** Adds the next line if it belongs to the run, and returns true. */
  takes(line: StoredLine): boolean {
    const kind = line.lines > 1 || this.#last.lines > 1 ? undefined : this.#kindWith(line);
    if (kind === undefined || (this.#kind !== undefined && kind !== this.#kind)) return false;
    this.#kind = kind;
    this.#last = line;
    this.#count++;
    this.#length += line.text.length + 1;
    this.#held?.push(line);
    if (this.#held && this.#pays()) this.#held = undefined;
    return true;
  }

  *folded(): Generator<StoredLine> {
    if (this.#held) return yield* this.#held;
    yield { ...this.#earlier, lines: this.#count, text: this.#text() };
  }

  #kindWith(line: StoredLine): "equal" | "counting" | undefined {
    if (line.text === this.#last.text) return "equal";
    if (this.#kind === "equal") return undefined;
    this.#counters ??= new Counters(this.#first.text, this.#folding);
    return this.#counters.take(line.text) ? "counting" : undefined;
  }

  #pays(): boolean {
    if (this.#count < LEAST_LINES) return false;
    return this.#folding === "always" || this.#text().length < this.#length;
  }

  get #earlier(): StoredLine {
    return this.#first.offset < this.#last.offset ? this.#first : this.#last;
  }

  get #later(): StoredLine {
    return this.#first.offset < this.#last.offset ? this.#last : this.#first;
  }

  #text(): string {
    const { text, offset } = this.#earlier;
    if (this.#kind === "counting") {
      return `${text} … ${this.#later.text.trimStart()} [${this.#count} counting lines, offset ${offset}]`;
    }
    if (text.trim() === "") return `[${this.#count} blank lines, offset ${offset}]`;
    return `${text} [${this.#count} equal lines, offset ${offset}]`;
  }
}

/** The numbers in the lines of a run; each may only rise or only fall. */
class Counters {
  readonly #text: string;
  readonly #shape: string | undefined;
  readonly #ways: number[] = [];
  #values: number[];

  constructor(text: string, folding: Folding) {
    this.#text = text;
    const shape = shapeOf(text);
    // Lines with only numbers are data.
    const isData = shape.includes("0") && !/[\p{L}%]/u.test(shape);
    this.#shape = folding === "worthwhile" && (isData || FAILURE.test(text)) ? undefined : shape;
    this.#values = valuesIn(text);
  }

  take(text: string): boolean {
    // Most neighbors obviously differ, so that is checked first.
    if (this.#shape === undefined || isUnlike(text, this.#text) || shapeOf(text) !== this.#shape) {
      return false;
    }
    const values = valuesIn(text);
    const steps = values.map((value, index) => Math.sign(value - this.#values[index]!));
    const turns = steps.some((step, index) => step !== 0 && step === -(this.#ways[index] ?? 0));
    if (turns || steps.every((step) => step === 0)) return false;
    for (const [index, step] of steps.entries()) this.#ways[index] ||= step;
    this.#values = values;
    return true;
  }
}

/** True if two lines can't have the same shape, because their first letters or their lengths differ too much. */
function isUnlike(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > MOST_GROWTH) return true;
  const [first, second] = [one.charCodeAt(0), other.charCodeAt(0)];
  return first !== second && first > LAST_SIGN && second > LAST_SIGN && first < FIRST_SPECIAL &&
    second < FIRST_SPECIAL;
}

function shapeOf(text: string): string {
  return text.replace(NUMBER, "0").replace(BAR, "-").replace(/\s\s+/g, " ").trim();
}

function valuesIn(text: string): number[] {
  return [...text.matchAll(COUNTER)].map(([counter]) =>
    /\d/.test(counter) ? Number(counter) : counter.trimEnd().length
  );
}
