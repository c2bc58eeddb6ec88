// Panes that were created from a workspace, and the marks by which a later call finds them.
import { flag } from "./columns.ts";
import { claimPane, WORKSPACE_OPTION } from "./pane_claims.ts";
import type { Tmux } from "./tmux.ts";

/** Place of a pane in its workspace. */
export interface WorkspacePlace {
  /** Key of its window: the number of windows with the same name before it, and the name. */
  window: string;
  /** Number of the pane in its window, from 0. */
  pane: number;
  /** Time of its creation (epoch ms). */
  since: number;
}

export interface WorkspacePane {
  paneId: string;
  windowId: string;
  windowName: string;
  dead: boolean;
  /** Undefined for a pane that was not created from a workspace. */
  place: WorkspacePlace | undefined;
}

const PANE = {
  paneId: "#{pane_id}",
  windowId: "#{window_id}",
  windowName: "#{window_name}",
  dead: flag("#{pane_dead}"),
  mark: `#{${WORKSPACE_OPTION}}`,
};

/** Returns the panes of a session given by id, in the order of its windows. */
export async function listWorkspacePanes(tmux: Tmux, sessionId: string): Promise<WorkspacePane[]> {
  const rows = await tmux.rows.list(PANE, ["list-panes", "-s", "-t", `${sessionId}:`]);
  return rows.map(({ mark, ...row }) => ({ ...row, place: parsePlace(mark) }));
}

/** Marks a new pane, unless the session has another one for the same place. Returns true if it is marked. */
export async function claimPlace(
  tmux: Tmux,
  paneId: string,
  { window, pane, since }: WorkspacePlace,
): Promise<boolean> {
  const taken = `#{m:*1*,#{W:#{P:#{m:${window}/${pane}/*,#{${WORKSPACE_OPTION}}}}}}`;
  const mark = ["set-option", "-p", "-t", paneId, WORKSPACE_OPTION, `${window}/${pane}/${since}`];
  return await claimPane(tmux, paneId, { taken, marks: [mark] });
}

/** Key of a window in marks; it has no characters with a meaning in tmux formats. */
export function windowKey(name: string, nth: number): string {
  return `${nth}-${new TextEncoder().encode(name).toHex()}`;
}

/** Reads a mark, defensively: a person can write anything into an option. */
function parsePlace(mark: string): WorkspacePlace | undefined {
  const [, window, pane, since] = /^(\d+-[0-9a-f]*)\/(\d+)\/(\d+)$/.exec(mark) ?? [];
  return window === undefined ? undefined : { window, pane: Number(pane), since: Number(since) };
}
