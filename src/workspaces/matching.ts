// Matches the windows and panes of a workspace with existing ones.
import type { Tmux } from "../tmux/tmux.ts";
import {
  listWorkspacePanes,
  windowKey,
  type WorkspacePane,
  type WorkspacePlace,
} from "../tmux/workspace_panes.ts";
import type { DescribedPane, DescribedSession, DescribedWindow } from "./workspace.ts";

export interface MatchedPane {
  described: DescribedPane;
  /** Undefined for a pane to create. */
  paneId?: string | undefined;
  /** Window that the pane is in, which is another one if somebody has moved it. */
  windowId?: string | undefined;
  dead?: boolean;
  /** Undefined for a pane that this program didn't create. */
  place?: WorkspacePlace | undefined;
}

export interface MatchedWindow {
  described: DescribedWindow;
  /** Key in the places of the window's panes. */
  key: string;
  windowId?: string | undefined;
  panes: MatchedPane[];
  /** A pane of the window to create the first missing one beside. */
  beside?: string | undefined;
}

/** Returns the matches; `sessionId` is undefined if there is no session of that name. */
export async function matchWorkspace(
  tmux: Tmux,
  { session, sessionId }: { session: DescribedSession; sessionId: string | undefined },
): Promise<MatchedWindow[]> {
  const there = sessionId === undefined ? [] : await listWorkspacePanes(tmux, sessionId);
  const keyed = keyWindows(session.windows).map((window) => ({
    ...window,
    placed: findPlaced(window.key, there),
  }));
  const others = there.filter((pane) => !keyed.some(({ placed }) => placed.includes(pane)));
  const free = new Set(others.map(({ windowId }) => windowId));
  for (const { placed } of keyed) free.delete(placed[0]?.windowId ?? "");
  return keyed.map(({ described, key, placed }) => {
    const windowId = placed[0]?.windowId ?? findNamed(described, free, others);
    if (windowId !== undefined) free.delete(windowId);
    const unplaced = others.filter((pane) => pane.windowId === windowId);
    const beside = (placed[0] ?? unplaced[0])?.paneId;
    return { described, key, windowId, panes: matchPanes(described, { placed, unplaced }), beside };
  });
}

/** The panes of a window in their described order, wherever in the session somebody has moved them. */
function findPlaced(key: string, there: readonly WorkspacePane[]): WorkspacePane[] {
  return there.filter(({ place }) => place?.window === key)
    .sort((one, other) => one.place!.pane - other.place!.pane);
}

function keyWindows(windows: readonly DescribedWindow[]): { described: DescribedWindow; key: string }[] {
  return windows.map((described, at) => {
    const before = windows.slice(0, at).filter(({ name }) => name === described.name).length;
    return { described, key: windowKey(described.name ?? "", before) };
  });
}

/** A window of that name that somebody else created. */
function findNamed(
  { name }: DescribedWindow,
  free: ReadonlySet<string>,
  there: readonly WorkspacePane[],
): string | undefined {
  return there.find((pane) => name !== undefined && pane.windowName === name && free.has(pane.windowId))
    ?.windowId;
}

/** Matches panes by their places, or in order if the window has none. */
function matchPanes(
  { panes }: DescribedWindow,
  { placed, unplaced }: Record<"placed" | "unplaced", readonly WorkspacePane[]>,
): MatchedPane[] {
  return panes.map((described, at) => {
    const found = placed.length === 0 ? unplaced[at] : placed.find(({ place }) => place?.pane === at);
    const { paneId, windowId, dead = false, place } = found ?? {};
    return { described, paneId, windowId, dead, place };
  });
}
