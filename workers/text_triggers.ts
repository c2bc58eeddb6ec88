// Which line of new output makes a trigger true: patterns and the error pattern, in time linear in the output.
import { RE2JS } from "re2js";
import type { LineBlock } from "../src/terminal/line_block.ts";
import type { Trigger } from "../src/watch/protocol.ts";

/** A trigger that is true, and where in the pane's byte stream it became so. */
export interface Fired {
  trigger: Trigger;
  /** Stream offset. */
  place: number;
  detail: string;
}

interface Match {
  end: number;
  line: string;
}

interface TextTrigger {
  trigger: Trigger;
  pattern: RE2JS;
  /** What this matches is taken out of a line before `pattern` is tried on it. */
  except?: RE2JS;
}

export interface ErrorPatterns {
  errorPattern: string;
  errorIgnorePattern: string;
}

const MAX_SHOWN = 200;

export class TextTriggers {
  readonly #triggers: TextTrigger[] = [];

  constructor(triggers: readonly Trigger[], patterns: ErrorPatterns) {
    for (const trigger of triggers) {
      if (trigger.kind === "pattern") this.#triggers.push({ trigger, pattern: compile(trigger.source) });
      if (trigger.kind !== "error") continue;
      const except = patterns.errorIgnorePattern;
      this.#triggers.push({
        trigger,
        pattern: compile(patterns.errorPattern),
        ...(except === "" ? {} : { except: compile(except) }),
      });
    }
  }

  get none(): boolean {
    return this.#triggers.length === 0;
  }

  /** The first of these finished lines that makes a trigger true; at one place the order given decides. */
  scan(block: LineBlock): Fired | undefined {
    if (this.none || block.lines === 0) return undefined;
    return this.#earliest(block.text, (end) => block.offsetAt(end));
  }

  /** As `scan`, for a line that is not finished and ends at `place`. */
  scanLine(line: string, place: number): Fired | undefined {
    return this.#earliest(line, () => place);
  }

  #earliest(text: string, placeOf: (end: number) => number): Fired | undefined {
    let first: { trigger: Trigger; match: Match } | undefined;
    for (const { trigger, pattern, except } of this.#triggers) {
      const match = findLine(text, pattern, except);
      if (match && (!first || match.end < first.match.end)) first = { trigger, match };
    }
    if (!first) return undefined;
    const { trigger, match } = first;
    return { trigger, place: placeOf(match.end), detail: describe(trigger, match.line) };
  }
}

function compile(source: string): RE2JS {
  return RE2JS.compile(source, RE2JS.MULTILINE);
}

/** The first line that matches, found by one scan of the whole text. */
function findLine(text: string, pattern: RE2JS, except: RE2JS | undefined): Match | undefined {
  let from = 0;
  while (from <= text.length) {
    const matcher = pattern.matcher(text);
    if (!matcher.find(from)) return undefined;
    const start = matcher.start();
    const begin = text.lastIndexOf("\n", start - 1) + 1;
    const newline = text.indexOf("\n", start);
    const line = text.slice(begin, newline < 0 ? text.length : newline);
    const end = endInLine(line, pattern, except);
    if (end !== undefined) return { end: begin + end, line };
    if (newline < 0) return undefined;
    from = newline + 1;
  }
  return undefined;
}

/** Where the match ends within its line; none when it needs more than the line, or only what is taken out of it. */
function endInLine(line: string, pattern: RE2JS, except: RE2JS | undefined): number | undefined {
  const matcher = pattern.matcher(line);
  if (!matcher.find()) return undefined;
  const end = matcher.end();
  if (!except?.matcher(line).find()) return end;
  return pattern.matcher(except.matcher(line).replaceAll(" ")).find() ? line.length : undefined;
}

function describe(trigger: Trigger, line: string): string {
  const text = line.trim();
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  return trigger.kind === "error" ? `Error line: ${shown}` : `Matched: ${shown}`;
}
