// Sessions that end because their last window moves away or ends.
import { resolveTarget } from "./resolved_target.ts";
import type { Target } from "../tool.ts";
import type { PolicyPane, PolicySnapshot } from "./types.ts";

/** True if the target's object moves to another window or session, or ends. */
export function movesOrEnds(target: Target): boolean {
  return target.kind === "pane" && (target.joins === true || target.ends === true) ||
    target.kind === "window" && (target.movesTo !== undefined || target.ends === true);
}

/** Ids of the sessions that contain nothing but the object that goes. */
export function emptiedSessions(target: Target, snapshot: PolicySnapshot): string[] {
  const rows = resolveTarget(target, snapshot)?.rows ?? [];
  const to = target.kind === "window" ? target.movesTo : undefined;
  if (rows.some(({ sessionId, sessionName }) => sessionId === to || sessionName === to)) return [];
  const isPart = (row: PolicyPane): boolean =>
    target.kind === "pane" ? row.paneId === target.id : row.windowId === rows[0]!.windowId;
  const sessions = [...new Set(rows.map(({ sessionId }) => sessionId))];
  return sessions.filter((id) => snapshot.panes.every((row) => row.sessionId !== id || isPart(row)));
}
