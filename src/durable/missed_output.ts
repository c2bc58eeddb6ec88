// Output from the time when no server watched: of a watch's panes, or of the command that it is on.
import { lastBytes } from "../bytes.ts";
import type { OutputView } from "../commands/output.ts";
import type { TrackedCommand } from "../commands/tracked_command.ts";
import type { Since } from "../tmux/capture/since.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { FoundPane } from "../watch/pane_refs.ts";
import { REPORT_BYTES, REPORT_LINES } from "../watch/protocol.ts";
import type { StoredWatch } from "../watch/watch_records.ts";
import type { WatchedOutput } from "../watch/watch_source.ts";

export interface WatchAndCommand {
  stored: StoredWatch;
  command: TrackedCommand | undefined;
  /** Its panes; absent if one of them was closed. */
  panes?: readonly FoundPane[];
}

/** Limit on what is read of the output from the time when no server watched. */
const GAP_LIMIT = { maxLines: 100_000, maxBytes: 8 * 1024 * 1024, ofDead: true, onlyNew: true };

/** Row of each pane on which it prints next. */
export async function endRows(resumed: readonly WatchAndCommand[], tmux: Tmux): Promise<Map<string, number>> {
  const paneIds = [...new Set(resumed.flatMap(({ stored }) => stored.paneIds))];
  const rows = await Promise.all(paneIds.map(async (paneId) => {
    const cursor = await tmux.capture.cursor(paneId).catch(() => undefined);
    return cursor === undefined ? [] : [[paneId, tmux.capture.rowOf(cursor)] as const];
  }));
  return new Map(rows.flat());
}

/** Yields the output since the watch began, of the pane or of the watched command. */
export async function* gapLines(
  { stored, command }: WatchAndCommand,
  { paneId, tmux }: { paneId: string; tmux: Tmux },
): AsyncGenerator<{ text: string; row: () => Promise<number> }> {
  if (command) {
    for (let from: number | undefined = 0; from !== undefined;) {
      const view: OutputView = await command.output.view({ part: "head", from }, GAP_LIMIT);
      const first: number = from;
      const lines = view.output.split("\n").entries();
      for (const [index, text] of lines) yield { text, row: () => Promise.resolve(first + index) };
      from = view.nextOffset;
    }
    return;
  }
  for (let cursor = stored.cursors[paneId]; cursor !== undefined;) {
    const from: string = cursor;
    const { lines, truncated, cursor: next }: Since = await tmux.capture.since(from, GAP_LIMIT);
    for (const [index, text] of lines.entries()) {
      const place = () => tmux.capture.since(from, { ...GAP_LIMIT, maxLines: index });
      yield { text, row: async () => tmux.capture.rowOf((await place()).cursor) };
    }
    cursor = truncated ? next : undefined;
  }
}

/** Returns the last part of a command's output, as long as a watch reports it. */
export async function lastOutput({ output }: TrackedCommand): Promise<WatchedOutput> {
  const all = { maxLines: REPORT_LINES, maxBytes: GAP_LIMIT.maxBytes };
  const { totalLines, totalBytes } = await output.view({ part: "head", from: 0 }, { ...all, maxLines: 0 });
  const from = Math.max(totalLines - REPORT_LINES, 0);
  const view = await output.view({ part: "head", from }, all);
  const last = lastBytes(view.output, REPORT_BYTES);
  const outputTruncated = from > 0 || last.length < view.output.length || output.isLossy;
  return { output: last, outputTruncated, totalLines, totalBytes };
}
