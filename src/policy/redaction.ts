// Removes from results pane contents that may not be read, and objects that are out of scope.
import { idKind } from "../ids.ts";
import { AppError } from "../errors.ts";
import { detailWithoutLine, quotesLine } from "../line_details.ts";
import type { PolicyView } from "./scopes.ts";

const CONTENTS = new Set("output lines matchedLines prompt matches findings findingsTotal".split(" "));

/** Cursor of capture-since, with short hashes of what the pane shows, from which a few letters can be guessed. */
const PANE_CURSOR = /^%\d+:/;

/** The result without pane output (`allow_capture = false`). */
export function withoutContents(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(withoutContents);
  if (typeof result !== "object" || result === null) return result;
  // In a search, notes on omitted lines reveal where matches are.
  const hidden = "matches" in result ? new Set([...CONTENTS, "nextOffset", "outputTruncated"]) : CONTENTS;
  const kept = Object.entries(result).filter(([key, value]) =>
    !hidden.has(key) && !(key === "cursor" && PANE_CURSOR.test(value))
  );
  const shown = Object.fromEntries(kept.map(([key, value]) => [key, withoutContents(value)]));
  const { event, detail } = shown;
  const quotes = typeof event === "string" && typeof detail === "string" && quotesLine(event);
  return quotes ? { ...shown, detail: detailWithoutLine(detail) } : shown;
}

/** The result without the number of sessions, which only descriptions of servers have (`allow_list = false`). */
export function withoutNumber(result: unknown): unknown {
  const { sessions, ...rest } = Object(result);
  return typeof sessions === "number" ? rest : result;
}

/**
 * The result without rows of objects that are out of scope.
 * @param gone `shown` to keep rows of objects that no longer exist, for answers about objects that were in
 * scope when the call was allowed
 * @throws {AppError} `denied` if the whole answer is about such an object
 */
export function keepToView(result: unknown, view: PolicyView | undefined, gone: "shown" | "hidden"): unknown {
  if (view === undefined || typeof result !== "object" || result === null) return result;
  const sees = { view, gone };
  if (!Array.isArray(result) && !isInView(result, sees)) {
    const what = "Cannot show what is out of scope: security.allowed_sessions, security.allowed_panes";
    throw new AppError("denied", what, { hint: "Call list-panes for the panes in scope" });
  }
  return keepRows(result, sees);
}

interface Sees {
  readonly view: PolicyView;
  readonly gone: "shown" | "hidden";
}

/** Filters rows, and the rows nested in them: the windows of a session, and their panes. */
function keepRows(value: unknown, sees: Sees): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (!Array.isArray(value)) {
    const parts = "id" in value ? sees.view.parts.get(String(value.id)) : undefined;
    // A layout names every pane of its window.
    const hasHidden = parts !== undefined && "panes" in value && value.panes !== parts.size;
    const kept = Object.entries(value).filter(([key, each]) =>
      key === "activePaneId" ? isIdInView(each, sees) : key !== "layout" || !hasHidden
    );
    return Object.fromEntries(
      kept.map(([key, each]) => [key, isCount(key, each) ? parts?.size ?? each : keepRows(each, sees)]),
    );
  }
  const kept = value.filter((row) => typeof row !== "object" || row === null || isInView(row, sees));
  return kept.map((row) => keepRows(row, sees));
}

/** True for the number of windows of a session, or of panes of a window. */
function isCount(key: string, value: unknown): boolean {
  return typeof value === "number" && (key === "windows" || key === "panes");
}

const ID_KEYS = ["id", "sessionId", "windowId", "paneId"];

function isInView(row: object, sees: Sees): boolean {
  const { sessionNames } = sees.view;
  // Rows of clients name their session only by name.
  if ("sessionName" in row && !("sessionId" in row) && !sessionNames.has(String(row.sessionName))) {
    return false;
  }
  return ID_KEYS.every((key) => isIdInView((row as Record<string, unknown>)[key], sees));
}

/** True for the id of an object in scope, and for any other value. */
function isIdInView(id: unknown, { view, gone }: Sees): boolean {
  const { sessionIds, windowIds, paneIds, present } = view;
  const sets = { session: sessionIds, window: windowIds, pane: paneIds };
  const kind = typeof id === "string" ? idKind(id) : undefined;
  return kind === undefined || sets[kind].has(id as string) ||
    (gone === "shown" && !present.has(id as string));
}
