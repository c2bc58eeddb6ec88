// Checks names and titles, some of which tmux would change.
import { AppError } from "../errors.ts";
import type { TmuxGateway } from "./gateway.ts";
import { isAtLeast } from "../tmux_exec/version.ts";

/** Characters that tmux escapes in session and window names (utf8_stravis, 3.2 to 3.6). */
const ESCAPED = /[\\\p{Cc}]|\$[A-Za-z_{]/u;
// deno-lint-ignore no-control-regex -- all of ASCII
const ASCII = /[\x00-\x7f]+/g;
/** More columns than any name has. */
const ALL_COLUMNS = 1_000_000;

/** `starts`: a server is started if none runs, because the call is about to create something in it. */
export interface Naming {
  starts?: boolean;
}

/** Refuses a session name that tmux would change, or take for an id. */
export async function checkSessionName(tmux: TmuxGateway, name: string, how: Naming = {}): Promise<void> {
  const reason = name === ""
    ? "the name is empty"
    : /[.:]/.test(name)
    ? '"." and ":" separate sessions, windows and panes in tmux\'s targets'
    : name.startsWith("$")
    ? 'a name that begins with "$" would be taken for an id'
    : escapeReason(name) ?? await characterReason(tmux, name, how);
  if (reason !== undefined) throw badName("a session", name, reason);
}

/** Refuses a window name that tmux would change. */
export async function checkWindowName(tmux: TmuxGateway, name: string, how: Naming = {}): Promise<void> {
  const reason = escapeReason(name) ?? await separatorReason(tmux, name, how) ??
    await characterReason(tmux, name, how);
  if (reason !== undefined) throw badName("a window", name, reason);
}

/** False for a window name that shows tmux's escapes, or that tmux would escape. */
export function isPlainWindowName(name: string): boolean {
  return escapeReason(name) === undefined;
}

/** Replaces the characters of a session's name that `checkSessionName` refuses. */
export function plainSessionName(name: string): string {
  return name.replace(/^\$|[.:\\\p{Cc}]|\$(?=[A-Za-z_{])/gu, "_");
}

/** Refuses a title that tmux would change: it ignores control characters, and from 3.7 on doubles backslashes. */
export async function checkTitle(tmux: TmuxGateway, title: string, version: string): Promise<void> {
  if (/\p{Cc}/u.test(title)) throw badName("a pane", title, "tmux takes no control characters in titles");
  if (title.includes("\\") && isAtLeast(version, 3, 7)) {
    throw badName("a pane", title, `tmux ${version} changes "\\" in titles`);
  }
  const reason = await characterReason(tmux, title);
  if (reason !== undefined) throw badName("a pane", title, reason);
}

/** Refuses a buffer name that listings could not show, or that tmux would change: from 3.7 on, it doubles backslashes. */
export async function checkBufferName(tmux: TmuxGateway, name: string): Promise<void> {
  if (/\p{Cc}/u.test(name)) throw badName("a buffer", name, "control characters would break listings");
  if (!name.isWellFormed()) throw badName("a buffer", name, UNPAIRED);
  if (!name.includes("\\")) return;
  const version = await readServerVersion(tmux);
  if (version !== undefined && isAtLeast(version, 3, 7)) {
    throw badName("a buffer", name, `tmux ${version} changes "\\" in names`);
  }
}

/** Returns the version of the server; undefined if none runs. */
async function readServerVersion(tmux: TmuxGateway, how: Naming = {}): Promise<string | undefined> {
  const printed = await expand(tmux, "#{version}", how);
  // Hooks of the user may print after it.
  return printed?.split("\n")[0];
}

/** Returns a format's value; undefined if no server runs, where the call will find nothing to name. */
async function expand(tmux: TmuxGateway, format: string, { starts }: Naming): Promise<string | undefined> {
  const command = ["display-message", "-p", format];
  return starts ? await tmux.run([["start-server"], command]) : await tmux.runIfServer([command]);
}

/** Returns the reason why tmux refuses a window's name; exactly 3.7 does for these characters, 3.7a does not. */
async function separatorReason(
  tmux: TmuxGateway,
  name: string,
  how: Naming,
): Promise<string | undefined> {
  if (!/[.:]/.test(name) || await readServerVersion(tmux, how) !== "3.7") return undefined;
  return 'tmux 3.7 refuses "." and ":" in names';
}

const UNPAIRED = "it contains half a surrogate pair, which is not valid UTF-8";

function escapeReason(name: string): string | undefined {
  return ESCAPED.test(name)
    ? 'tmux changes "\\", control characters and "$" before a letter in names'
    : undefined;
}

/**
 * Returns the reason why tmux would not keep the characters; undefined if it would. tmux accepts only characters
 * whose width its C library knows, and applies the same rule to a text that it cuts, so cutting the text
 * shows the result.
 */
async function characterReason(
  tmux: TmuxGateway,
  name: string,
  how: Naming = {},
): Promise<string | undefined> {
  if (!name.isWellFormed()) return UNPAIRED;
  const foreign = name.replace(ASCII, "");
  if (foreign === "") return undefined;
  const fields = { kept: `#{=${ALL_COLUMNS};l:${foreign}}` };
  const printed = await expand(tmux, tmux.codec.format(fields), how);
  if (printed === undefined) return undefined;
  const kept = tmux.codec.parse(fields, printed)[0]?.kept ?? "";
  if (kept === foreign) return undefined;
  const lost = [...foreign].find((character) => !kept.includes(character)) ?? foreign;
  const code = lost.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
  return `this tmux does not support the character U+${code}`;
}

function badName(what: string, name: string, reason: string): AppError {
  return new AppError("invalid-argument", `Cannot name ${what} ${JSON.stringify(name)}: ${reason}`, {
    hint: "Use letters, digits, spaces, dashes and underscores",
  });
}
