// Reads the text of many panes with few tmux clients.
import { captureTwice, type Line, readLines, readMostRows, splitRows } from "./grid.ts";
import type { PaneInfo } from "../objects/panes.ts";
import type { TmuxGateway } from "../gateway.ts";

export interface PaneLines {
  pane: PaneInfo;
  /** Lines whose rows count from the top of the screen; negative rows are history. */
  lines: Line[];
  /** Set if tmux printed more than is taken: the oldest lines are missing. */
  isCut?: true;
}

/** Maximum number of cells that one client captures: it can print at most 64 MiB, and each cell is captured twice. */
const CLIENT_CELLS = 1024 * 1024;
/** Largest number of rows that tmux takes. */
const MAX_ROWS = 2 ** 31 - 1;

/** Yields whole lines of every pane, with this many rows of its history; a pane that goes away is left out. */
export async function* readPanes(
  tmux: TmuxGateway,
  panes: readonly PaneInfo[],
  history: number,
): AsyncGenerator<PaneLines> {
  for (const batch of batches(panes, history)) {
    const most = Math.max(...batch.map(({ historySize }) => Math.min(historySize, history)));
    yield* await readMostRows(most, async (rows) => {
      const read = await readBatch(tmux, batch, rows === most ? history : rows);
      return read.map((each) => ({
        ...each,
        ...(isCut(each.pane, history, rows) && { isCut: true as const }),
      }));
    });
  }
}

function isCut({ historySize }: PaneInfo, history: number, rows: number): boolean {
  return rows < Math.min(historySize, history);
}

async function readBatch(
  tmux: TmuxGateway,
  batch: readonly PaneInfo[],
  history: number,
): Promise<PaneLines[]> {
  const from = history > MAX_ROWS ? "-" : String(-history);
  const printed = await tmux.runEach(batch.flatMap(({ id }) => captureTwice(["-t", id, "-S", from])));
  return batch.flatMap((pane, index) => {
    const [joined, rows] = [printed[2 * index], printed[2 * index + 1]];
    if (joined === undefined || rows === undefined) return [];
    const shown = splitRows(rows);
    return [{ pane, lines: readLines(joined, shown, pane.height - shown.length) }];
  });
}

function* batches(panes: readonly PaneInfo[], history: number): Generator<PaneInfo[]> {
  let batch: PaneInfo[] = [];
  let cells = 0;
  for (const pane of panes) {
    const size = (pane.height + Math.min(pane.historySize, history)) * pane.width;
    if (batch.length > 0 && cells + size > CLIENT_CELLS) {
      yield batch;
      [batch, cells] = [[], 0];
    }
    batch.push(pane);
    cells += size;
  }
  if (batch.length > 0) yield batch;
}
