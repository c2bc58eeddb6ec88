// Continues the background watches of dead processes: events from the gap fire late, but once and in order.
import type { Tmux } from "../tmux/tmux.ts";
import type { TrackedCommand } from "../commands/tracked_command.ts";
import { errorEnd, type ErrorPatterns, errorWords } from "../findings/error_line.ts";
import { detailQuoting } from "../line_details.ts";
import { isGone, isUnanswered, paneGone } from "../errors.ts";
import { bestEffort } from "../promises.ts";
import { delay, within } from "../timer.ts";
import type { Trigger } from "../watch/protocol.ts";
import type { FiredEvent } from "../watch/watch.ts";
import { failedResult, type WatchResult } from "../watch/inbox.ts";
import type { Watches } from "../watch/watches.ts";
import type { RecoveredCommands } from "../commands/durable/recovered_commands.ts";
import { ShownLines } from "../commands/durable/shown_lines.ts";
import { serverKeyOf, type StoredCommand } from "../commands/durable/stored_command.ts";
import type { WatchedOutput, WatchSource } from "../watch/watch_source.ts";
import { endRows, gapLines, lastOutput, type WatchAndCommand } from "./missed_output.ts";
import { isKnownToClient } from "./unfinished_records.ts";
import { isFollowed } from "../watch/stored_foreground.ts";
import { UnreachedWatches } from "./unreached_watches.ts";
import { ageOf, idsOf, readWatch, type StoredWatch } from "../watch/watch_records.ts";

export interface ResumedWatchesOptions extends ErrorPatterns {
  watches: Watches;
  commands: RecoveredCommands;
  /** Cleans up what dead processes have left on a tmux server, such as panes whose ends have been read by now. */
  sweep(tmux: Tmux): void;
}

interface ResumedWatch extends WatchAndCommand {
  /** Allows its result to be filed. */
  release(): void;
  filed: Promise<void>;
}

/** An event that no server saw happen. */
interface Missed {
  fired: FiredEvent;
  /** Row of the line that fires; beyond every row for the end of a program. */
  row: number;
}

interface GapOptions {
  /** When it was printed, as the event says it. */
  when?: string;
  /** Row of each pane from which on the watch sees the output itself. */
  ends?: ReadonlyMap<string, number>;
  /** Commands that were run in the panes, which show them. */
  typed?(): readonly StoredCommand[];
}

/** Time (ms) after which what could not be read is read again. */
const AGAIN_MS = 1000;

/**
 * Longest wait (ms) for the result of a watch before the next one is filed: it may have seen what it missed, and wait
 * for its turn after one that is held.
 */
const TURN_MS = 5000;
export class ResumedWatches {
  readonly unreached: UnreachedWatches;
  readonly #options: ResumedWatchesOptions;
  readonly #closed: AbortController = new AbortController();

  constructor(options: ResumedWatchesOptions) {
    this.unreached = new UnreachedWatches(options.watches);
    this.#options = options;
  }

  close(): void {
    this.unreached.close();
    this.#closed.abort();
  }

  /** Continues or files the watches. */
  async takeOver(records: readonly StoredWatch[], tmux: Tmux): Promise<void> {
    const { watches } = this.#options;
    const stored = records.flatMap((record) => readWatch(record) ?? []);
    stored.sort((one, other) => (one.ended ?? Infinity) - (other.ended ?? Infinity));
    for (const watch of stored) {
      const isKnown = isKnownToClient(watch) || watches.inbox.holds(watch.id);
      if (watch.result && !isKnown) watches.file(watch.id, watch.result, watch);
    }
    const unfinished = stored.filter(({ result }) => result === undefined);
    this.unreached.attempting(unfinished);
    const begun = await Promise.all(unfinished.map((watch) => this.#resume(watch, tmux)));
    const resumed = begun.filter((each) => each !== undefined && "release" in each);
    // Watches are filed in the order in which they were begun.
    for (const [at, each] of begun.entries()) {
      const watch = unfinished[at]!;
      if (each && !("release" in each) && this.unreached.has(watch)) watches.file(watch.id, each, watch);
    }
    const unreached = unfinished.filter((_, at) => begun[at] === undefined);
    this.unreached.attempted(unfinished, unreached, (left) => this.takeOver(left, tmux));
    await this.#fireMissed(resumed, tmux).finally(() => resumed.forEach(({ release }) => release()));
  }

  /**
   * Continues a watch and holds back its result; returns its result if it can't be continued, and undefined if tmux
   * does not answer yet or the watch was stopped meanwhile.
   */
  async #resume(stored: StoredWatch, tmux: Tmux): Promise<ResumedWatch | WatchResult | undefined> {
    const { watches, commands } = this.#options;
    const { id: watchId, paneIds, triggers, timeout, commandId } = stored;
    const { promise: missedKnown, resolve: release } = Promise.withResolvers<void>();
    let command: TrackedCommand | undefined;
    try {
      command = commandId === undefined ? undefined : await commands.find(commandId);
      if (!await tmux.servers.runs(serverKeyOf(watchId))) throw paneGone(paneIds[0]!);
      const panes = await watches.paneSource(tmux, paneIds);
      if (!this.unreached.has(stored)) return undefined;
      const source = { ...this.#sourceOf(panes, command), ids: idsOf(stored) };
      const request = { tmux, triggers, timeout, watchId, stored, missedKnown };
      const { filed } = await watches.runInBackground(source, request);
      void filed.then(() => this.#options.sweep(tmux));
      return { stored, command, panes: panes.panes, release, filed };
    } catch (error) {
      const waits = (why: unknown): boolean => isUnanswered(why) && ageOf(stored) < timeout;
      if (waits(error)) return undefined;
      const failed = failedResult({ paneIds, elapsed: ageOf(stored), ids: idsOf(stored) }, error);
      if (!isGone(error)) return failed;
      const fired = await this.#firedBefore({ stored, command }, tmux, waits);
      if (!fired) return undefined;
      const { ending, ...event } = fired;
      return { ...failed, ...event, ...ending };
    }
  }

  /** Returns the panes of a watch; a command shows its end and its output. */
  #sourceOf(panes: WatchSource, command: TrackedCommand | undefined): WatchSource {
    const { commands } = this.#options;
    const output = async (): Promise<WatchedOutput | undefined> => {
      const tracked = command && await commands.find(command.commandId);
      return tracked && await lastOutput(tracked);
    };
    return {
      ...panes,
      ...(command && { output }),
      begin: (watchId, { triggers, ...part }, handlers) =>
        panes.begin(watchId, {
          ...part,
          triggers: command ? triggers.filter(({ kind }) => kind !== "exit") : triggers,
          resumed: true,
          ...(command?.shellPid !== undefined && { shellPid: command.shellPid }),
        }, handlers),
    };
  }

  /**
   * Fires on what was printed while no server watched, in the order of the panes' rows. What the panes print from now
   * on is later than all of it; the watches see that themselves.
   */
  async #fireMissed(resumed: readonly ResumedWatch[], tmux: Tmux): Promise<void> {
    const { watches } = this.#options;
    const ends = await endRows(resumed, tmux);
    const ofPane = resumed.find(({ command }) => command === undefined);
    // Panes show the commands that were run in them.
    const typed = () => ofPane ? this.#options.commands.list(serverKeyOf(ofPane.stored.id)) : [];
    const gap = { ends, typed };
    const reading = resumed.map(async (watch) => {
      const missed = await this.#readGap(watch, tmux, gap).catch((error) => {
        // The watch sees what comes now meanwhile: tmux may not answer until its deadline.
        if (isUnanswered(error)) bestEffort(this.#fireLater(watch, tmux, gap));
      });
      return missed ? [{ ...watch, ...missed }] : [];
    });
    const missed = (await Promise.all(reading)).flat().sort((one, other) => one.row - other.row);
    for (const { stored: { id }, release, filed, fired } of missed) {
      watches.fire(id, fired);
      release();
      await within(filed, { ms: TURN_MS });
    }
    for (const watch of resumed) void watch.command?.over.then(() => this.#fireEnd(watch, tmux));
  }

  /** Fires on the end of a command, unless what it printed before that fires: the watch may not have read it yet. */
  async #fireEnd(watch: ResumedWatch, tmux: Tmux): Promise<void> {
    const missed = await this.#untilRead(watch, tmux, { when: "before the command ended" });
    const event = missed?.fired ?? endOf(watch.stored, watch.command!);
    if (event) this.#options.watches.fire(watch.stored.id, event);
  }

  async #fireLater(watch: ResumedWatch, tmux: Tmux, gap: GapOptions): Promise<void> {
    await delay(AGAIN_MS, this.#closed.signal);
    const missed = await this.#untilRead(watch, tmux, gap);
    if (missed) this.#options.watches.fire(watch.stored.id, missed.fired);
  }

  /** Reads what a watch missed, again and again while that can't be read and the watch runs. */
  async #untilRead(watch: ResumedWatch, tmux: Tmux, gap: GapOptions): Promise<Missed | undefined> {
    while (this.#options.watches.runs(watch.stored.id) && !this.#closed.signal.aborted) {
      try {
        return await this.#readGap(watch, tmux, gap);
      } catch (error) {
        if (!isUnanswered(error)) return undefined;
        await delay(AGAIN_MS, this.#closed.signal);
      }
    }
    return undefined;
  }

  /**
   * Returns the event of a watch of which a pane was closed before it could be continued; undefined if `waits` is true of
   * the error that keeps it from being known.
   */
  async #firedBefore(
    watch: WatchAndCommand,
    tmux: Tmux,
    waits: (error: unknown) => boolean,
  ): Promise<FiredEvent | undefined> {
    const { stored, command } = watch;
    let missed: Missed | undefined;
    try {
      missed = await this.#readGap(watch, tmux);
    } catch (error) {
      if (waits(error)) return undefined;
    }
    const end = command?.exitCode === undefined ? undefined : endOf(stored, command);
    return missed?.fired ?? end ?? programEnd(stored, stored.paneIds[0]!);
  }

  /** Returns the first line that fires a watch, or else the end of a program that it was on. */
  async #readGap(
    watch: WatchAndCommand,
    tmux: Tmux,
    { when = "while no server watched", ends = new Map(), typed = () => [] }: GapOptions = {},
  ): Promise<Missed | undefined> {
    const { stored, command, panes = [] } = watch;
    const matches = await this.#matcher(stored.triggers);
    // Reads what was copied until the watch saw the pane itself.
    if (command) await this.#options.commands.find(command.commandId);
    let ended: FiredEvent | undefined;
    for (const paneId of stored.paneIds) {
      const shown = new ShownLines(command ? [] : typed().filter((each) => each.paneId === paneId));
      const end = command ? Infinity : ends.get(paneId) ?? Infinity;
      try {
        for await (const { text, row: rowOf } of gapLines(watch, { paneId, tmux })) {
          if (shown.take(text)) continue;
          const event = matches(text);
          if (event === undefined) continue;
          const row = await rowOf();
          if (row > end) break;
          return { fired: { paneId, event, detail: detailQuoting(`Printed ${when}`, text) }, row };
        }
        const [pane, front] = [panes.find((each) => each.paneId === paneId), stored.fronts?.[paneId]];
        if (pane && front && await isFollowed(front, pane, tmux)) ended ??= programEnd(stored, paneId);
      } catch (error) {
        if (!isGone(error)) throw error;
        ended ??= programEnd(stored, paneId);
      }
    }
    return ended && { fired: ended, row: Infinity };
  }

  /** Returns a function that names the first trigger matching a line. */
  async #matcher(triggers: readonly Trigger[]): Promise<(line: string) => string | undefined> {
    const { RE2JS } = await import("re2js");
    const compile = (source: string) => RE2JS.compile(source, RE2JS.MULTILINE);
    const errors = errorWords(this.#options, compile);
    const tests = triggers.flatMap((trigger): [string, (line: string) => boolean][] => {
      if (trigger.kind === "pattern") {
        const pattern = compile(trigger.source);
        return [[trigger.event, (line) => pattern.test(line)]];
      }
      if (trigger.kind !== "error") return [];
      return [[trigger.event, (line) => errorEnd(line, errors) !== undefined]];
    });
    return (line) => tests.find(([, test]) => test(line))?.[0];
  }
}

/** Returns the event for a pane that was closed or respawned, or whose program in front has ended. */
function programEnd({ triggers }: StoredWatch, paneId: string): FiredEvent {
  const event = triggers.some(({ kind }) => kind === "exit") ? "exit" : "gone";
  return { paneId, event, detail: `The program of pane ${paneId} ended while no server watched it` };
}

/** Returns the event for the end of the command that a watch is on; undefined if no trigger is about that. */
function endOf({ paneIds, triggers }: StoredWatch, { exitCode }: TrackedCommand): FiredEvent | undefined {
  const paneId = paneIds[0]!;
  const { event } = triggers.find(({ kind }) => kind === "exit") ??
    triggers.find(({ kind }) => kind === "shell") ?? {};
  if (event === undefined) return undefined;
  if (event === "shell") return { paneId, event, detail: "Back at the shell" };
  if (exitCode === undefined) return { paneId, event, detail: "The command has ended" };
  return { paneId, event, detail: `Exited with code ${exitCode}`, ending: { exitCode } };
}
