// Preconditions of a decision, for each target of a call.
import type { NamedSession, Precondition } from "../tmux/preconditions.ts";
import type { Effect } from "../tool.ts";
import type { ResolvedTarget } from "./resolved_target.ts";
import type { Scope } from "./scopes.ts";
import type { PolicyPane, PolicySnapshot } from "./types.ts";

/**
 * Undefined if nothing that counts can change: without a limited scope all but what ends with it, and which panes
 * keys reach where one of them can be this server's own.
 */
export function preconditionOf(
  { kind, id, rows, leaves = false, anyPane = false }: ResolvedTarget,
  { effect, snapshot, scope, inside }: {
    effect: Effect;
    snapshot: PolicySnapshot;
    scope: Scope;
    /** This server runs in a pane of that tmux. */
    inside: boolean;
  },
): Precondition | undefined {
  const row = scope.limited ? scope.rowsOf({ ...snapshot, panes: rows })[0] : undefined;
  const typed = effect === "input" && kind === "pane";
  const reached = row ?? (inside ? rows[0] : undefined);
  // The decision checked everything in the object, not only the object itself.
  const whole = effect === "destroy" || effect === "input" && kind !== "pane";
  const contents = whole || row !== undefined && anyPane;
  if (row === undefined && !whole && !(typed && reached)) return undefined;
  if (kind === "server") return effect === "read" ? undefined : { kind, id, sessions: sessionsOf(rows) };
  return {
    kind,
    id,
    ...(row && { session: { id: row.sessionId, name: row.sessionName } }),
    ...(row && (whole || leaves) && kind !== "session" && { linkedInto: row.linkedInto }),
    ...(contents && kind === "session" && { panes: rows.map(({ paneId }) => paneId) }),
    ...(contents && kind === "window" && { panes: panesBeside(rows[0]!, snapshot) }),
    ...(typed && reached && { synchronized: reached.synchronized }),
    ...(typed && reached?.synchronized && { panes: panesBeside(reached, snapshot) }),
  };
}

function sessionsOf(rows: readonly PolicyPane[]): NamedSession[] {
  return [...new Map(rows.map(({ sessionId: id, sessionName: name }) => [id, { id, name }])).values()];
}

/** The panes of a window, each once, although every link of the window lists them. */
function panesBeside({ windowId, windowIndex, sessionId }: PolicyPane, { panes }: PolicySnapshot): string[] {
  const rows = panes.filter((row) => row.windowId === windowId && row.sessionId === sessionId);
  return rows.filter((row) => row.windowIndex === windowIndex).map(({ paneId }) => paneId);
}
