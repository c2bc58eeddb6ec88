// Resolves the targets of a call to the panes that they contain.
import { notFound, paneGone } from "../errors.ts";
import type { Target } from "../tool.ts";
import type { PolicyPane, PolicySnapshot } from "./types.ts";

export interface ResolvedTarget {
  readonly kind: "session" | "window" | "pane" | "server";
  /** The object's id; empty for the server. */
  readonly id: string;
  /** Name for messages: `pane "%3"`. */
  readonly name: string;
  /** One row for each pane and each session that its window is linked into. */
  readonly rows: readonly PolicyPane[];
  /** True for a pane that may leave its window and every session linked to that. */
  readonly leaves?: boolean;
  /** True for a session or window of which any pane may be the one that the call acts on. */
  readonly anyPane?: boolean;
}

/**
 * The object that a target names; undefined for targets other than a session, window, pane or server.
 * @throws {AppError} `not-found` if it doesn't exist
 */
export function resolveTarget(target: Target, snapshot: PolicySnapshot): ResolvedTarget | undefined {
  switch (target.kind) {
    case "session":
      return { ...resolveSession(target.id, snapshot), anyPane: target.anyPane ?? false };
    case "window":
      return resolveWindow(target, snapshot);
    case "window-index":
      return resolveWindowIndex(target, snapshot);
    case "pane":
      return resolvePane(target, snapshot);
    case "server":
      return { kind: "server", id: "", name: "the tmux server", rows: snapshot.panes };
    default:
      return undefined;
  }
}

function resolveWindow(
  { id, anyPane }: Target & { kind: "window" },
  { panes }: PolicySnapshot,
): ResolvedTarget {
  return { ...ensure("window", id, panes.filter((row) => row.windowId === id)), anyPane: anyPane ?? false };
}

function resolvePane(
  { id, seen = false, leaves = false }: Target & { kind: "pane" },
  { panes }: PolicySnapshot,
): ResolvedTarget {
  const rows = panes.filter((row) => row.paneId === id);
  const hasOthers = panes.some((row) => row.paneId !== id && row.windowId === rows[0]?.windowId);
  if (rows.length > 0 || !seen) {
    return { ...ensure("pane", id, rows), leaves: leaves === "others" ? hasOthers : leaves };
  }
  throw paneGone(id);
}

/** A session by id or name; an id takes precedence over a session with that name. */
function resolveSession(given: string, { panes }: PolicySnapshot): ResolvedTarget {
  const byId = panes.filter((row) => row.sessionId === given);
  const rows = byId.length > 0 ? byId : panes.filter((row) => row.sessionName === given);
  return { ...ensure("session", given, rows), id: rows[0]?.sessionId ?? given };
}

function resolveWindowIndex(
  target: Target & { kind: "window-index" },
  snapshot: PolicySnapshot,
): ResolvedTarget {
  const inSession = resolveSession(target.session, snapshot).rows;
  const windowId = inSession.find((row) => row.windowIndex === target.index)?.windowId;
  const rows = snapshot.panes.filter((row) => row.windowId === windowId);
  return { ...ensure("window", `${target.session}:${target.index}`, rows), id: windowId ?? "" };
}

function ensure(
  kind: "session" | "window" | "pane",
  id: string,
  rows: readonly PolicyPane[],
): ResolvedTarget {
  if (rows.length > 0) return { kind, id, name: `${kind} "${id}"`, rows };
  throw notFound(kind, id);
}
