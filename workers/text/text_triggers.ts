// Triggers on new output: on lines (in time linear in the output) and on the bell.
import type { RE2JS } from "re2js";
import {
  errorEnd,
  type ErrorPatterns,
  type ErrorWords,
  errorWords,
  matchEnd,
} from "../../src/findings/error_line.ts";
import { mayHaveWordlessError } from "../../src/findings/line_severity.ts";
import { detailQuoting } from "../../src/line_details.ts";
import type { LineBlock } from "../../src/terminal/line_block.ts";
import type { Trigger } from "../../src/watch/protocol.ts";
import type { Patterns } from "./patterns.ts";

/** A trigger that is true, and the place in the pane's byte stream where it became true. */
export interface Fired {
  trigger: Trigger;
  /** Offset in the stream. */
  place: number;
  detail: string;
}

interface LineMatch {
  end: number;
  line: string;
}

interface LineTrigger {
  trigger: Trigger;
  pattern: RE2JS;
  /** True if the pattern can match a line that begins or ends the text, but not the same line among others. */
  isBound: boolean;
  /** Set if the pattern has words of errors, which do not decide alone. */
  errors?: ErrorWords;
}

/** `\A`, `\z`, and flags after which `^` and `$` no longer stand for the ends of lines. */
const BOUND = /\\[Az]|\(\?[a-zA-Z]*-/;

/** End of a line that a result follows: `returns the error ... ` of a test that runs. */
const ANNOUNCES = /\.{3}\s*$/;

export class TextTriggers {
  readonly #order: readonly Trigger[];
  readonly #lines: LineTrigger[];
  readonly #bell: Trigger | undefined;

  constructor(triggers: readonly Trigger[], errors: ErrorPatterns, patterns: Patterns) {
    this.#order = triggers;
    this.#lines = triggers.flatMap((trigger) => lineTrigger(trigger, errors, patterns) ?? []);
    this.#bell = triggers.find((trigger) => trigger.kind === "bell");
  }

  get readsLines(): boolean {
    return this.#lines.length > 0;
  }

  /** Returns the earliest trigger that this output makes true; at the same place, the caller's order decides. */
  scan(block: LineBlock): Fired | undefined {
    const line = this.#scanLines(block);
    const bell = this.#scanBells(block);
    if (!line || !bell) return line ?? bell;
    const between = line.place - bell.place ||
      this.#order.indexOf(line.trigger) - this.#order.indexOf(bell.trigger);
    return between < 0 ? line : bell;
  }

  /** Does the same for a line that is not finished and ends at `place`. `isOpen`: its program may still add to it. */
  scanLine(line: string, place: number, { isOpen = false } = {}): Fired | undefined {
    const mayBeOk = isOpen && ANNOUNCES.test(line);
    const isOk = (each: LineTrigger): boolean =>
      each.errors !== undefined && findEnd(`${line.trimEnd()} ok`, each) === undefined;
    return this.#earliest(
      line,
      () => place,
      mayBeOk ? this.#lines.filter((each) => !isOk(each)) : this.#lines,
    );
  }

  #scanLines(block: LineBlock): Fired | undefined {
    if (!this.readsLines || block.lines === 0) return undefined;
    return this.#earliest(block.text, (end) => block.offsetAt(end));
  }

  #scanBells({ bells: [place] }: LineBlock): Fired | undefined {
    if (this.#bell === undefined || place === undefined) return undefined;
    return { trigger: this.#bell, place, detail: "The bell rang" };
  }

  #earliest(text: string, placeOf: (end: number) => number, among = this.#lines): Fired | undefined {
    let first: { trigger: Trigger; match: LineMatch } | undefined;
    for (const each of among) {
      const match = findLine(text, each);
      if (match && (!first || match.end < first.match.end)) first = { trigger: each.trigger, match };
    }
    if (!first) return undefined;
    const { trigger, match } = first;
    return { trigger, place: placeOf(match.end), detail: describe(trigger, match.line) };
  }
}

/** Returns the pattern of a trigger that reads the text of lines. */
function lineTrigger(trigger: Trigger, errors: ErrorPatterns, patterns: Patterns): LineTrigger | undefined {
  switch (trigger.kind) {
    case "pattern":
      return { trigger, pattern: patterns.compile(trigger.source), isBound: BOUND.test(trigger.source) };
    case "error": {
      const words = errorWords(errors, (source) => patterns.compile(source));
      return { trigger, pattern: words.words, isBound: BOUND.test(errors.errorPattern), errors: words };
    }
    case "bell":
    case "exit":
    case "shell":
    case "user_input":
    case "idle":
    case "port":
    case "output":
      return undefined;
    default:
      return trigger satisfies never;
  }
}

/** Returns the first line that matches by itself. Most texts hold no match, so the whole text is tested first. */
function findLine(text: string, trigger: LineTrigger): LineMatch | undefined {
  const { pattern, isBound, errors } = trigger;
  if (!isBound && !pattern.test(text) && !(errors && mayHaveWordlessError(text))) return undefined;
  for (let begin = 0; begin < text.length;) {
    const newline = text.indexOf("\n", begin);
    const line = text.slice(begin, newline < 0 ? text.length : newline);
    const end = findEnd(line, trigger);
    if (end !== undefined) return { end: begin + end, line };
    if (newline < 0) return undefined;
    begin = newline + 1;
  }
  return undefined;
}

/** Returns the end of the match within its line. */
function findEnd(line: string, { pattern, errors }: LineTrigger): number | undefined {
  return errors ? errorEnd(line, errors) : matchEnd(line, pattern);
}

function describe(trigger: Trigger, line: string): string {
  return detailQuoting(trigger.kind === "error" ? "Error line" : "Matched", line);
}
