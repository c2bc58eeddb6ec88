// Names and titles: those tmux would store differently from how they were given are refused.
import { AppError } from "../errors.ts";
import { isAtLeast } from "./version.ts";

/** tmux writes these as escapes in session and window names (utf8_stravis, 3.2 to 3.6). */
const ESCAPED = /[\\\p{Cc}]|\$[A-Za-z_{]/u;

/** Refuses a session name tmux would change, or take for an id. */
export function checkSessionName(name: string): void {
  const reason = name === ""
    ? "the name is empty"
    : /[.:]/.test(name)
    ? 'tmux changes "." and ":" in session names'
    : name.startsWith("$")
    ? 'a name that begins with "$" would be taken for an id'
    : escapeReason(name);
  if (reason !== undefined) throw badName("a session", name, reason);
}

export function checkWindowName(name: string): void {
  const reason = escapeReason(name);
  if (reason !== undefined) throw badName("a window", name, reason);
}

/** tmux drops a title with control characters and keeps the old one; from 3.7 it doubles backslashes. */
export function checkTitle(title: string, version: string): void {
  if (/\p{Cc}/u.test(title)) throw badName("a pane", title, "tmux takes no control characters in titles");
  if (title.includes("\\") && isAtLeast(version, 3, 7)) {
    throw badName("a pane", title, `tmux ${version} changes "\\" in titles`);
  }
}

export function checkBufferName(name: string): void {
  if (/\p{Cc}/u.test(name)) throw badName("a buffer", name, "control characters would break listings");
}

function escapeReason(name: string): string | undefined {
  return ESCAPED.test(name)
    ? 'tmux changes "\\", control characters and "$" before a letter in names'
    : undefined;
}

function badName(what: string, name: string, reason: string): AppError {
  return new AppError("invalid-argument", `Cannot name ${what} ${JSON.stringify(name)}: ${reason}`, {
    hint: "Use letters, digits, spaces, dashes and underscores",
  });
}
