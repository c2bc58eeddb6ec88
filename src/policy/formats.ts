// Reads a tmux format far enough to tell whether expanding it could run something or look outside the scope.
import { AppError } from "../errors.ts";

/**
 * `E:` and `T:` expand what an option or variable holds, jobs in it included. A modifier stands after `{` or `;`;
 * no variable of tmux begins with a capital, and one of the environment ends with `}` at once.
 */
const EXPANDS_TWICE = /[{;][ET](?!\w*\})/;
/** Goes through all sessions, windows, panes or clients, or tells whether a name exists. */
const LOOKS_AROUND = /[{;][SWPLN](?!\w*\})/;

/** Looks for text in what a pane shows. */
const SEARCHES = /[{;]C(?!\w*\})/;
/** Variables that hold what a pane or a buffer holds. */
const CONTENTS =
  /\b(?:copy_cursor_(?:line|word|hyperlink)|cursor_character|mouse_(?:line|word|hyperlink)|search_match)\b/;
const BUFFER_CONTENTS = /\bbuffer_(?:sample|full)\b/;
/** Variables that tell of the newest buffer, whoever's, and lists of other sessions and clients. */
const OTHERS = /\b(?:buffer_\w+|(?:session|window)_\w*list)\b/;

export interface FormatRules {
  /** Sessions or panes are limited. */
  readonly scoped: boolean;
  /** What panes and buffers hold may be read. */
  readonly contents: boolean;
}

/**
 * @throws {AppError} `denied` for `#(…)` and modifiers that run or reveal more; `invalid-argument` for what is no format.
 */
export function checkFormat(format: string, rules: FormatRules): void {
  if (format.includes("#(")) throw refuse("#(…) runs a command");
  if (EXPANDS_TWICE.test(format)) throw refuse("E: and T: run the jobs in what they expand");
  checkReach(format, rules);
  checkClosed(format);
}

/** @throws {AppError} `denied` for what would reveal more than the rules let be seen. */
export function checkReach(format: string, { scoped, contents }: FormatRules): void {
  if (scoped && LOOKS_AROUND.test(format)) {
    throw refuse("S:, W:, P:, L: and N: look beyond security.allowed_sessions and security.allowed_panes");
  }
  if (!contents && (SEARCHES.test(format) || CONTENTS.test(format))) {
    throw refuse("C: and copy mode's variables show what panes hold: security.allow_capture = false");
  }
  if (scoped && OTHERS.test(format)) {
    throw refuse("lists and buffers are beyond security.allowed_sessions and security.allowed_panes");
  }
  if (!contents && BUFFER_CONTENTS.test(format)) throw refuse("it shows what a buffer holds");
}

function refuse(why: string): AppError {
  return new AppError("denied", `Cannot expand the format: ${why}`, {
    hint: "Name variables, like #{pane_title}",
  });
}

function checkClosed(format: string): void {
  let open = 0;
  for (let at = 0; at < format.length; at++) {
    if (format.startsWith("#{", at)) open++;
    if (format[at] === "#") at++;
    else if (format[at] === "}" && open > 0) open--;
  }
  if (open === 0) return;
  throw new AppError("invalid-argument", `Cannot read the format "${format}": "#{" is not closed`, {
    hint: "Close each #{ with }",
  });
}
