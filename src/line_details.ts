// Details of events that quote the line on which a watch fired: what happened, a colon, and the line.
import { excerpt } from "./excerpt.ts";

const SEPARATOR = ": ";
const MAX_SHOWN = 200;

/** Returns a detail that quotes a line. `what` has no colon. */
export function detailQuoting(what: string, line: string): string {
  return `${what}${SEPARATOR}${excerpt(line.trim(), MAX_SHOWN)}`;
}

/** Returns the line that a detail quotes. */
export function lineQuotedBy(detail: string): string {
  return detail.slice(detail.indexOf(SEPARATOR) + SEPARATOR.length);
}

/** Returns a detail without the line; nothing of a detail that can't be split. */
export function detailWithoutLine(detail: string): string {
  return detail.slice(0, Math.max(detail.indexOf(SEPARATOR), 0));
}

/** True for the event of a trigger that reads lines: its detail quotes one. */
export function quotesLine(event: string): boolean {
  return event === "error" || event.startsWith("pattern:");
}
