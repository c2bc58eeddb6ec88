// A wait for text in a pane: in what it shows now, then in its new lines.
import { lineQuotedBy } from "../line_details.ts";
import { compileRegex } from "../regex.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { WatchResult } from "../watch/inbox.ts";
import type { Trigger } from "../watch/protocol.ts";
import { anyOf, type LineTest, type PatternOptions, testShown } from "./search/pattern.ts";

/** Texts that are waited for: any of them ends the wait. */
export interface AwaitedText {
  /** RE2 expression that matches all of them. */
  source: string;
  test: LineTest;
}

export interface TextWaitOptions {
  wanted: AwaitedText;
  /** Text in new lines that ends the wait unsuccessfully. */
  ending: AwaitedText | undefined;
  /** True if what the pane already shows does not count. */
  newOnly: boolean;
}

export interface TextOutcome {
  outcome: "matched" | "stopped" | "timeout";
  lines: readonly string[];
  /** True if only an excerpt of a line is known. */
  isExcerpt?: boolean;
  /** Cursor of capture-since after the first of them. */
  cursor?: string | undefined;
}

/** Limits of one read of new lines. */
const SINCE = { maxLines: 10_000, maxBytes: 1_000_000, onlyNew: true };

/** @throws {AppError} `invalid-argument` for a pattern that RE2 does not take */
export async function readTexts(
  texts: string | readonly string[],
  options: PatternOptions,
): Promise<AwaitedText> {
  const source = await anyOf([texts].flat(), options);
  const compiled = await compileRegex(source);
  return { source, test: (line) => compiled.test(line) };
}

export class TextWait {
  readonly #paneId: string;
  readonly #options: TextWaitOptions;
  readonly #tmux: Tmux;
  /** Cursor at which the wait begins. */
  readonly begin: string;

  private constructor(
    paneId: string,
    options: TextWaitOptions,
    { tmux, begin }: { tmux: Tmux; begin: string },
  ) {
    this.#paneId = paneId;
    this.#options = options;
    this.#tmux = tmux;
    this.begin = begin;
  }

  /** @throws {AppError} `not-found` */
  static async create(paneId: string, options: TextWaitOptions, tmux: Tmux): Promise<TextWait> {
    return new TextWait(paneId, options, { tmux, begin: await tmux.capture.cursor(paneId) });
  }

  get triggers(): Trigger[] {
    const { wanted, ending } = this.#options;
    return [
      ...(ending ? [{ kind: "pattern" as const, event: "stop", source: ending.source }] : []),
      { kind: "pattern", event: "pattern", source: wanted.source },
    ];
  }

  /** Returns the lines that the pane shows and that match. */
  async shown(): Promise<string[]> {
    const { wanted, newOnly } = this.#options;
    if (newOnly) return [];
    const lines = await this.#tmux.capture.shown(this.#paneId);
    return lines.filter((line) => testShown(line, wanted.test)).map(({ text }) => text);
  }

  /** Returns the outcome for the shown screen: a program may have redrawn only part of a line. */
  async redrawn(): Promise<TextOutcome | undefined> {
    const lines = await this.shown();
    if (lines.length === 0) return undefined;
    const { after } = await this.#printed(this.#options.wanted.test);
    return { outcome: "matched", lines, cursor: after ?? await this.#tmux.capture.cursor(this.#paneId) };
  }

  /**
   * Returns the outcome of what was printed between the cursor and the start of a watch; a full-screen program draws
   * on any row.
   */
  async missed(): Promise<TextOutcome | undefined> {
    const { wanted, ending } = this.#options;
    const ends = (line: string): boolean => wanted.test(line) || ending?.test(line) === true;
    const printed = await this.#printed(ends);
    const lines = printed.after === undefined ? await this.shown() : printed.lines;
    const first = lines.find(ends);
    if (first === undefined) return undefined;
    const isStopped = ending?.test(first) === true;
    const { test } = isStopped ? ending : wanted;
    const cursor = printed.after ?? printed.end;
    return { outcome: isStopped ? "stopped" : "matched", lines: lines.filter(test), cursor };
  }

  /** Returns the outcome of a watch with the triggers. */
  async outcomeOf({ event, detail, output, cursor: end }: WatchResult): Promise<TextOutcome> {
    if (event === "timeout") return await this.redrawn() ?? { outcome: "timeout", lines: [], cursor: end };
    const { test } = event === "stop" ? this.#options.ending! : this.#options.wanted;
    const outcome = event === "stop" ? "stopped" : "matched";
    const printed = await this.#printed(test).catch(() => undefined);
    const cursor = printed?.after ?? end;
    // The output of a watch may no longer have the line.
    for (const each of [output.split("\n"), printed?.lines ?? []]) {
      const lines = each.filter(test);
      if (lines.length > 0) return { outcome, lines, cursor };
    }
    return { outcome, lines: [lineQuotedBy(detail)], isExcerpt: true, cursor };
  }

  /** Returns the lines since the wait began, and the cursors after them and after the first of them that matches. */
  async #printed(test: LineTest): Promise<{ lines: string[]; end: string; after?: string }> {
    const { capture } = this.#tmux;
    const { lines, cursor: end } = await capture.since(this.begin, SINCE);
    const at = lines.findIndex(test);
    if (at < 0) return { lines, end };
    const { cursor: after } = await capture.since(this.begin, { ...SINCE, maxLines: at + 1 });
    return { lines, end, after };
  }
}
