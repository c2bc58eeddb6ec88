// Finds the pane of a command in a snapshot of its tmux server.
import { notFound } from "../errors.ts";
import type { ServerSnapshot } from "../tmux/server_snapshot.ts";
import type { FoundPane } from "../watch/pane_refs.ts";

export interface PlaceInSnapshot {
  paneId: string;
  snapshot: ServerSnapshot;
}

/** @throws {AppError} `not-found` */
export function findInSnapshot({ snapshot, paneId }: PlaceInSnapshot): FoundPane {
  const pane = snapshot.panes.find((candidate) => candidate.paneId === paneId);
  if (!pane) throw notFound("pane", paneId);
  // Other panes of the window are all visible here: if one were out of scope, policy would have refused the call.
  const isAlone = snapshot.panes.every((other) =>
    other.windowId !== pane.windowId || other.paneId === paneId
  );
  const synchronized = pane.synchronized && !isAlone;
  return { ...pane, synchronized, panePid: pane.pid, serverKey: snapshot.serverKey, ending: {} };
}
