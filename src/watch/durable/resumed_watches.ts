// Goes on with the background watches of dead processes: what happened meanwhile fires late, but once and in order.
import type { RecordStore } from "../../durable/record_store.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import type { Trigger } from "../protocol.ts";
import type { Watches } from "../watches.ts";
import type { RecoveredCommands } from "./recovered_commands.ts";
import type { StoredWatch } from "./watch_records.ts";

export interface ResumedWatchesOptions {
  store: RecordStore;
  watches: Watches;
  commands: RecoveredCommands;
  errorPattern: string;
  errorIgnorePattern: string;
}

/** What was printed while no server watched, read back at most this far. */
const LIMIT = { maxLines: 100_000, maxBytes: 8 * 1024 * 1024 };

export class ResumedWatches {
  readonly #options: ResumedWatchesOptions;

  constructor(options: ResumedWatchesOptions) {
    this.#options = options;
  }

  async takeOver(watchIds: readonly string[], tmux: Tmux): Promise<void> {
    const { store, watches } = this.#options;
    const stored = watchIds.flatMap((id) => store.read<StoredWatch>(id) ?? []).filter(isWatch);
    stored.sort((one, other) => (one.ended ?? Infinity) - (other.ended ?? Infinity));
    for (const watch of stored) {
      if (watch.result) watches.file(watch.id, watch.result, watch);
      else await this.#resume(watch, tmux);
    }
  }

  async #resume(stored: StoredWatch, tmux: Tmux): Promise<void> {
    const { watches, commands } = this.#options;
    const { id: watchId, paneIds, triggers, timeout, started, commandId } = stored;
    const left = Math.max(timeout - (Date.now() - started) / 1000, 0);
    const command = commandId === undefined ? undefined : (await commands.find(commandId))?.record;
    try {
      const source = await watches.paneSource(tmux, paneIds);
      // Its shell reports the end of a command, its pane does not.
      const watched = command ? triggers.filter(({ kind }) => kind !== "exit") : triggers;
      const request = { tmux, triggers: watched, mode: "medium" as const, timeout: left, watchId, stored };
      await watches.runInBackground(source, request);
    } catch {
      const detail = `Pane ${paneIds[0]} was closed while no server watched it`;
      const event = triggers.some(({ kind }) => kind === "exit") ? "exit" : "gone";
      const result = { paneId: paneIds[0]!, event, detail, elapsed: (Date.now() - started) / 1000 };
      return watches.file(watchId, { ...result, output: "", totalLines: 0, totalBytes: 0 }, stored);
    }
    await this.#readGap(stored, tmux);
    if (!command) return;
    void command.over.then(() => {
      const { exitCode } = command;
      watches.fire(watchId, {
        paneId: paneIds[0]!,
        event: triggers.some(({ kind }) => kind === "exit") ? "exit" : "gone",
        detail: exitCode === undefined ? "The command has ended" : `Exited with code ${exitCode}`,
        ...(exitCode === undefined ? {} : { ending: { exitCode } }),
      });
    });
  }

  async #readGap({ id, paneIds, triggers, cursors, commandId }: StoredWatch, tmux: Tmux): Promise<void> {
    const matches = await this.#matcher(triggers);
    const { commands, watches } = this.#options;
    for (const paneId of paneIds) {
      const command = commandId === undefined ? undefined : (await commands.find(commandId))?.record;
      const cursor = cursors[paneId];
      const lines = command
        ? (await command.output.view({ part: "head", from: 0 }, LIMIT)).output.split("\n")
        : cursor === undefined
        ? []
        : await tmux.capture.since(cursor, LIMIT).then((since) => since.lines, () => []);
      for (const line of lines) {
        const event = matches(line);
        if (event !== undefined) {
          return watches.fire(id, { paneId, event, detail: `Printed meanwhile: ${line}` });
        }
      }
    }
  }

  /** Names the first trigger that a line makes true. */
  async #matcher(triggers: readonly Trigger[]): Promise<(line: string) => string | undefined> {
    const { RE2JS } = await import("re2js");
    const { errorPattern, errorIgnorePattern } = this.#options;
    const error = RE2JS.compile(errorPattern);
    const ignored = RE2JS.compile(errorIgnorePattern);
    const tests = triggers.flatMap((trigger): [string, (line: string) => boolean][] => {
      if (trigger.kind === "pattern") {
        const pattern = RE2JS.compile(trigger.source);
        return [[trigger.event, (line) => pattern.matcher(line).find()]];
      }
      if (trigger.kind !== "error") return [];
      return [[trigger.event, (line) => error.matcher(ignored.matcher(line).replaceAll("")).find()]];
    });
    return (line) => tests.find(([, test]) => test(line))?.[0];
  }
}

/** What another version wrote may lack what this one needs. */
function isWatch({ paneIds, triggers, timeout, cursors }: StoredWatch): boolean {
  return Array.isArray(paneIds) && paneIds.length > 0 && Array.isArray(triggers) &&
    Number.isFinite(timeout) &&
    typeof cursors === "object";
}
