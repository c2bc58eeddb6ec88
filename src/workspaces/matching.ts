// Matches the windows and panes of a workspace with existing ones.
import type { Tmux } from "../tmux/tmux.ts";
import {
  listWorkspacePanes,
  windowKey,
  type WorkspacePane,
  type WorkspacePlace,
} from "../tmux/workspace_marks.ts";
import type { DescribedPane, DescribedSession, DescribedWindow } from "./workspace.ts";

export interface MatchedPane {
  described: DescribedPane;
  /** Undefined for a pane to create. */
  paneId?: string | undefined;
  dead?: boolean;
  /** Undefined for a pane that this program didn't create. */
  place?: WorkspacePlace | undefined;
}

export interface MatchedWindow {
  described: DescribedWindow;
  /** Key in the marks of the window's panes. */
  key: string;
  windowId?: string | undefined;
  panes: MatchedPane[];
}

/** Returns the matches; `sessionId` is undefined if there is no session of that name. */
export async function matchWorkspace(
  tmux: Tmux,
  { session, sessionId }: { session: DescribedSession; sessionId: string | undefined },
): Promise<MatchedWindow[]> {
  const there = sessionId === undefined ? [] : await listWorkspacePanes(tmux, sessionId);
  const keyed = keyWindows(session.windows);
  const known = new Map(there.flatMap(({ place, windowId }) => place ? [[place.window, windowId]] : []));
  const free = new Set(there.map(({ windowId }) => windowId));
  for (const { key } of keyed) free.delete(known.get(key) ?? "");
  return keyed.map(({ described, key }) => {
    const windowId = known.get(key) ?? findNamed(described, free, there);
    if (windowId !== undefined) free.delete(windowId);
    const panes = there.filter((pane) => pane.windowId === windowId);
    return { described, key, windowId, panes: matchPanes(described, key, panes) };
  });
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

/** Matches panes by their marks, or in order if the window has none. */
function matchPanes(
  { panes }: DescribedWindow,
  key: string,
  there: readonly WorkspacePane[],
): MatchedPane[] {
  const marked = there.filter(({ place }) => place?.window === key);
  return panes.map((described, at) => {
    const found = marked.length === 0 ? there[at] : marked.find(({ place }) => place?.pane === at);
    return { described, paneId: found?.paneId, dead: found?.dead ?? false, place: found?.place };
  });
}
