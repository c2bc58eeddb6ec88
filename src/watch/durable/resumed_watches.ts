// Continues the background watches of dead processes: events meanwhile fire late, but once and in order.
import type { Tmux } from "../../tmux/tmux.ts";
import type { Since } from "../../tmux/reading/since.ts";
import type { OutputView } from "../commands/output.ts";
import type { CommandRecord } from "../commands/record.ts";
import { errorEnd } from "../../findings/error_line.ts";
import { paneGone } from "../../errors.ts";
import { within } from "../../timer.ts";
import type { Trigger } from "../protocol.ts";
import type { FiredEvent } from "../watch.ts";
import type { Watches } from "../watches.ts";
import type { RecoveredCommands } from "./recovered_commands.ts";
import { isWatch, type StoredWatch } from "./watch_records.ts";

export interface ResumedWatchesOptions {
  watches: Watches;
  commands: RecoveredCommands;
  /** Ids of the panes in scope; undefined where all are. */
  visiblePanes(tmux: Tmux): Promise<ReadonlySet<string> | undefined>;
  /** Takes back what dead processes have left on a tmux server, such as panes whose ends have been read by now. */
  sweep(tmux: Tmux): void;
  errorPattern: string;
  errorIgnorePattern: string;
}

interface ResumedWatch {
  stored: StoredWatch;
  /** The command it watches, if it watches one. */
  command: CommandRecord | undefined;
  /** Lets its result be filed. */
  release(): void;
  filed: Promise<void>;
}

interface Missed {
  event: FiredEvent;
  row: number;
}

/** Time to read output that was printed before the deadline, which still fires (ms). */
const LEAST_SECONDS = 5;
/** A watch may itself have seen what it missed, and waits its turn then behind one that is still held back (ms). */
const TURN_MS = 5000;
/** At most this much of what was printed while no server watched is read at once. */
const LIMIT = { maxLines: 100_000, maxBytes: 8 * 1024 * 1024, ofDead: true };

export class ResumedWatches {
  readonly #options: ResumedWatchesOptions;

  constructor(options: ResumedWatchesOptions) {
    this.#options = options;
  }

  /** Watches on panes out of scope stay on disk. */
  async takeOver(records: readonly StoredWatch[], tmux: Tmux): Promise<void> {
    const { watches, visiblePanes } = this.#options;
    const all = records.filter(isWatch);
    const visible = all.length === 0 ? undefined : await visiblePanes(tmux);
    const stored = all.filter(({ paneIds }) => paneIds.every((id) => visible?.has(id) ?? true));
    stored.sort((one, other) => (one.ended ?? Infinity) - (other.ended ?? Infinity));
    for (const watch of stored) {
      if (watch.result && !watch.isTask) watches.file(watch.id, watch.result, watch);
    }
    const going = stored.filter(({ result }) => result === undefined);
    const resumed = (await Promise.all(going.map((watch) => this.#resume(watch, tmux)))).flatMap((each) =>
      each ?? []
    );
    await this.#fireMissed(resumed, tmux);
    for (const { release } of resumed) release();
  }

  /** Continues a watch, whose result is held back; undefined where its pane is gone. */
  async #resume(stored: StoredWatch, tmux: Tmux): Promise<ResumedWatch | undefined> {
    const { watches, commands } = this.#options;
    const { id: watchId, paneIds, triggers, timeout, started, commandId } = stored;
    const left = Math.max(timeout - (Date.now() - started) / 1000, LEAST_SECONDS);
    const command = commandId === undefined ? undefined : await commands.find(commandId);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    try {
      if (!watchId.endsWith(`-${await tmux.servers.key()}`)) throw paneGone(paneIds[0]!);
      const source = await watches.paneSource(tmux, paneIds);
      // Its shell reports the end of a command, its pane does not.
      const watched = command ? triggers.filter(({ kind }) => kind !== "exit") : triggers;
      const request = { tmux, triggers: watched, timeout: left, watchId, stored, held };
      const { filed } = await watches.runInBackground(source, request);
      void filed.then(() => this.#options.sweep(tmux));
      return { stored, command, release, filed };
    } catch {
      const detail = `Pane ${paneIds[0]} was closed while no server watched it`;
      const event = triggers.some(({ kind }) => kind === "exit") ? "exit" : "gone";
      const result = { paneId: paneIds[0]!, event, detail, elapsed: (Date.now() - started) / 1000 };
      watches.file(watchId, { ...result, output: "", totalLines: 0, totalBytes: 0 }, stored);
      return undefined;
    }
  }

  /**
   * Fires what was printed while no server watched, in the order of the panes' rows. What the panes print from now on
   * is later than all of it, and the watches see it themselves.
   */
  async #fireMissed(resumed: readonly ResumedWatch[], tmux: Tmux): Promise<void> {
    const { watches } = this.#options;
    const ends = await endRows(resumed, tmux);
    const reading = resumed.map(async (watch) => {
      const missed = await this.#readGap(watch, tmux, ends).catch(() => undefined);
      return missed ? [{ ...watch, ...missed }] : [];
    });
    const found = (await Promise.all(reading)).flat().sort((one, other) => one.row - other.row);
    for (const { stored: { id }, event, release, filed } of found) {
      watches.fire(id, event);
      release();
      await within(filed, { ms: TURN_MS, late: () => {} });
    }
    for (const { stored, command } of resumed) {
      void command?.over.then(() => watches.fire(stored.id, endOf(stored, command)));
    }
  }

  async #readGap(
    watch: ResumedWatch,
    tmux: Tmux,
    ends: ReadonlyMap<string, number>,
  ): Promise<Missed | undefined> {
    const matches = await this.#matcher(watch.stored.triggers);
    for (const paneId of watch.stored.paneIds) {
      const end = watch.command ? Infinity : ends.get(paneId) ?? Infinity;
      for await (const { text, row: rowOf } of gapLines(watch, { paneId, tmux })) {
        const event = matches(text);
        if (event === undefined) continue;
        const row = await rowOf();
        if (row > end) break;
        return { row, event: { paneId, event, detail: `Printed meanwhile: ${text}` } };
      }
    }
    return undefined;
  }

  /** Names the first trigger that a line makes true. */
  async #matcher(triggers: readonly Trigger[]): Promise<(line: string) => string | undefined> {
    const { RE2JS } = await import("re2js");
    const { errorPattern, errorIgnorePattern } = this.#options;
    const compile = (source: string) => RE2JS.compile(source, RE2JS.MULTILINE);
    const harmless = errorIgnorePattern === "" ? undefined : compile(errorIgnorePattern);
    const errors = { words: compile(errorPattern), harmless: harmless && (() => harmless) };
    const tests = triggers.flatMap((trigger): [string, (line: string) => boolean][] => {
      if (trigger.kind === "pattern") {
        const pattern = compile(trigger.source);
        return [[trigger.event, (line) => pattern.matcher(line).find()]];
      }
      if (trigger.kind !== "error") return [];
      return [[trigger.event, (line) => errorEnd(line, errors) !== undefined]];
    });
    return (line) => tests.find(([, test]) => test(line))?.[0];
  }
}

/** The row that each pane prints on next. */
async function endRows(resumed: readonly ResumedWatch[], tmux: Tmux): Promise<Map<string, number>> {
  const paneIds = [...new Set(resumed.flatMap(({ stored }) => stored.paneIds))];
  const rows = await Promise.all(paneIds.map(async (paneId) => {
    const cursor = await tmux.capture.cursor(paneId).catch(() => undefined);
    return cursor === undefined ? [] : [[paneId, tmux.capture.rowOf(cursor)] as const];
  }));
  return new Map(rows.flat());
}

/** Output of a pane, or of the command that is watched there, since the watch began. */
async function* gapLines(
  { stored, command }: ResumedWatch,
  { paneId, tmux }: { paneId: string; tmux: Tmux },
): AsyncGenerator<{ text: string; row: () => Promise<number> }> {
  if (command) {
    for (let from: number | undefined = 0; from !== undefined;) {
      const view: OutputView = await command.output.view({ part: "head", from }, LIMIT);
      const first: number = from;
      const lines = view.output.split("\n").entries();
      for (const [index, text] of lines) yield { text, row: () => Promise.resolve(first + index) };
      from = view.nextOffset;
    }
    return;
  }
  for (let cursor = stored.cursors[paneId]; cursor !== undefined;) {
    const from: string = cursor;
    const { lines, truncated, cursor: next }: Since = await tmux.capture.since(from, LIMIT);
    for (const [index, text] of lines.entries()) {
      const place = () => tmux.capture.since(from, { ...LIMIT, maxLines: index });
      yield { text, row: async () => tmux.capture.rowOf((await place()).cursor) };
    }
    cursor = truncated ? next : undefined;
  }
}

/** The event at the end of the command that a watch is over. */
function endOf({ paneIds, triggers }: StoredWatch, { exitCode }: CommandRecord): FiredEvent {
  return {
    paneId: paneIds[0]!,
    event: triggers.some(({ kind }) => kind === "exit") ? "exit" : "gone",
    detail: exitCode === undefined ? "The command has ended" : `Exited with code ${exitCode}`,
    ...(exitCode === undefined ? {} : { ending: { exitCode } }),
  };
}
