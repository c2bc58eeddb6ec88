// Rules for tmux formats: they may not run commands, show objects out of scope, or keep tmux busy.
import { AppError } from "../errors.ts";
import { WAITING } from "../tmux/typing/handed_over_panes.ts";
import { type FormatExpression, type FormatPiece, FormatSyntaxError, parseFormat } from "./format_syntax.ts";
import { constantText, isMeasurable, longestExpansion } from "./format_text.ts";

export interface FormatRules {
  /** True if scope limits sessions or panes. */
  readonly scoped: boolean;
  /** True if scope lists panes one by one. */
  readonly listed: boolean;
  readonly contents: boolean;
  /** True if sessions, windows, panes and clients may be listed. */
  readonly lists: boolean;
  /** True if the format is expanded for a particular pane; otherwise tmux would use its current one. */
  readonly pane: boolean;
  /** True if tmux has a session at hand when it expands the format. */
  readonly session: boolean;
  /** True if `#(…)`, `E:` and `T:` are checked elsewhere. */
  readonly jobs: boolean;
}

const LONGEST_FORMAT = 4096;
/** Maximum nesting; tmux itself stops at 100. */
const DEEPEST = 20;
/** Maximum columns to which text is cut or padded. */
const WIDEST = 1000;
const MOST_DIGITS = 20;
/** Maximum number of regular expressions, searches and variables that walk a whole history. */
const MOST_SCANS = 4;
const LONGEST_PATTERN = 100;
/** Maximum characters that a regular expression searches, whose cost can be quadratic. */
const MOST_SCANNED = 2000;
const MOST_REPEATS = 2;
const MOST_STARS = 4;
const LONGEST_REPEATED = 10;
/** Steps counted for an expression inside zero, one, two and three loops. tmux takes about a microsecond per step. */
const STEPS = [1, 10, 30, 100] as const;
const MOST_STEPS = 2000;

/** Loops, and the loop each must be directly inside: windows in sessions, panes in windows, clients in none. */
const LOOPS: Readonly<Record<string, string>> = { S: "", W: "S", P: "SW", L: "" };

const SERVER_VARIABLES = new Set(
  `version host host_short pid socket_path start_time user uid config_files server_sessions next_session_id
  buffer_name buffer_size buffer_sample buffer_full sixel_support`.split(/\s+/),
);
/** Variables with contents of a pane or buffer. */
const CONTENTS =
  /^(?:copy_cursor_(?:line|word|hyperlink)|cursor_character|mouse_(?:line|word|hyperlink)|search_match)$/;
const BUFFER_CONTENTS = /^buffer_(?:sample|full)$/;
/**
 * Variables about the newest buffer, whoever set it, names, lists and numbers of other sessions, and clients: where none
 * is attached to the pane's session, tmux takes one of another session.
 */
const OTHERS =
  /^(?:buffer_\w+|(?:session|window)_\w*list|session_group\w*|window_(?:linked\w*|active_\w+)|server_sessions|next_session_id|pane_marked_set|client_\w+)$/;
/** Variables about all windows of a session, or all panes of a window. */
const PARTS =
  /^(?:session_(?:windows|stack|alerts?|(?:activity|bell|silence)_flag)|(?:active|last)_window_index|window_(?:panes|stack_index|(?:start|end)_flag|(?:visible_)?layout))$/;
const LISTS = /^(?:(?:session|window)_\w*list|server_sessions|next_session_id)$/;
/**
 * Times that tmux 3.2 and 3.2a read of a client or a buffer without checking that there is one, and crash. `L:` is no
 * help: these versions don't know it. No other of 155 variables does this there, nor any in later versions.
 */
const UNCHECKED_TIMES = /^(?:client_(?:activity|created)|buffer_created)$/;
/** Times that these versions read of a session in the same way. */
const SESSION_TIMES = /^session_(?:activity|created|last_attached)$/;
const UNMEASURABLE = "w and a negative = hang tmux 3.6 on characters of unknown width: " +
  "remove them first, like #{=-20:#{=1000;q/h:pane_current_path}}";
/** Variables for which tmux goes through a pane's whole history. */
const WALKS_HISTORY = /^history_(?:all_)?bytes$/;
/**
 * @throws {AppError} `denied` for a variable that isn't on the list or is out of bounds; `invalid-argument`
 * for a malformed format, or one that needs a pane if none is given
 */
export function checkFormat(format: string, rules: FormatRules): void {
  if (format.length > LONGEST_FORMAT) throw refuse(`it is longer than ${LONGEST_FORMAT} characters`);
  if (!rules.jobs && format.includes("#(")) throw refuse("#(…) runs a command");
  // tmux expands times at every level, and %p expands to nothing in languages without AM and PM.
  if (format.includes("#%")) throw refuse("#% can become #(…) or #{…}");
  new FormatCheck(rules).checkPieces(parse(format), { loops: "", depth: 0 });
}

function parse(format: string): FormatPiece[] {
  try {
    return parseFormat(format);
  } catch (error) {
    if (!(error instanceof FormatSyntaxError)) throw error;
    throw new AppError("invalid-argument", `Cannot read the format "${format}": ${error.message}`, {
      hint: "Name variables, like #{pane_title}, and close each #{ with }",
    });
  }
}

/** Surroundings of an expression. */
interface Around {
  /** Letters of the loops around it. */
  readonly loops: string;
  readonly depth: number;
}

/** One format, checked from the outside in. */
class FormatCheck {
  readonly #rules: FormatRules;
  #scans = 0;
  #steps = 0;

  constructor(rules: FormatRules) {
    this.#rules = rules;
  }

  checkPieces(pieces: readonly FormatPiece[], around: Around): void {
    for (const piece of pieces) if (typeof piece !== "string") this.#checkExpression(piece, around);
  }

  #checkExpression(expression: FormatExpression, { loops, depth }: Around): void {
    if (depth === DEEPEST) throw refuse(`#{ is nested more than ${DEEPEST} levels deep`);
    this.#steps += STEPS[loops.length] ?? Infinity;
    if (this.#steps > MOST_STEPS) throw refuse("it has too many expressions, or too many in loops");
    if (!isMeasurable(expression)) throw refuse(UNMEASURABLE);
    const { variable, modifiers, branches } = expression;
    const inner = modifiers.reduce((around, { name }) => this.#enter(name, around), loops);
    for (const modifier of modifiers) {
      if (!this.#rules.jobs && /^[ET]$/.test(modifier.name)) {
        throw refuse("E: and T: run the jobs in their expanded value");
      }
      this.#checkSize(modifier.arguments);
      if (modifier.name === "R") checkRepeated(branches[0] ?? []);
      // tmux 3.6 and later crash on it if no client is attached.
      if (modifier.name === "S" && branches.length > 1) throw refuse("S: may have no second part");
      if (/^[smC]$/.test(modifier.name)) this.#checkPattern(expression, modifier, inner);
    }
    if (variable !== undefined) this.#checkVariable(variable, inner);
    for (const branch of branches) this.checkPieces(branch, { loops: inner, depth: depth + 1 });
  }

  /** The loops around the branches of a modifier. */
  #enter(name: string, loops: string): string {
    const { scoped, lists } = this.#rules;
    if (name !== "N" && LOOPS[name] === undefined) return loops;
    if (scoped) {
      throw refuse("S:, W:, P:, L: and N: look beyond security.allowed_sessions and security.allowed_panes");
    }
    if (!lists) throw refuse("S:, W:, P:, L: and N: list objects: security.allow_list = false");
    if (name === "N") return loops;
    if ([...loops].some((around) => !LOOPS[name]!.includes(around))) {
      throw refuse(`${name}: may not be inside ${loops.at(-1)}:`);
    }
    if (!/[SL]/.test(name)) this.#needPane(`${name}:`, loops);
    return loops + name;
  }

  #checkSize({ columns, limit, digits }: Readonly<Record<string, string | undefined>>): void {
    if (Math.abs(Number(columns ?? limit ?? 0)) > WIDEST) throw refuse(`no text may be wider than ${WIDEST}`);
    if (Number(digits ?? 0) > MOST_DIGITS) throw refuse(`no number may have more than ${MOST_DIGITS} digits`);
  }

  #checkVariable(variable: string, loops: string): void {
    // tmux ignores the index of an option that is no array.
    const name = variable.replace(/\[\d+\]$/, "");
    const { scoped, contents, lists } = this.#rules;
    if (scoped && OTHERS.test(name)) {
      throw refuse(
        `${name} tells about what is out of scope: security.allowed_sessions, security.allowed_panes`,
      );
    }
    if (this.#rules.listed && PARTS.test(name)) {
      throw refuse(`${name} tells about other panes: security.allowed_panes`);
    }
    if (!lists && LISTS.test(name)) {
      throw refuse(`${name} lists or counts objects: security.allow_list = false`);
    }
    if (!contents && CONTENTS.test(name)) {
      throw refuse("C: and copy mode's variables show contents of panes: security.allow_capture = false");
    }
    if (!contents && name === WAITING) {
      throw refuse(`${name} quotes what a pane shows: security.allow_capture = false`);
    }
    if (!contents && BUFFER_CONTENTS.test(name)) throw refuse("it shows contents of a buffer");
    if (name === "buffer_full") throw refuse("a buffer can be of any size: use show-buffer");
    if (UNCHECKED_TIMES.test(name)) throw refuse(`${name} crashes tmux 3.2 without a client or a buffer`);
    if (!this.#rules.session && SESSION_TIMES.test(name)) {
      throw refuse(`${name} crashes tmux 3.2 in the names of windows`);
    }
    if (WALKS_HISTORY.test(name)) this.#scan(`${name} in a loop`, loops);
    if (!SERVER_VARIABLES.has(name)) this.#needPane(name, loops);
  }

  #needPane(what: string, loops: string): void {
    if (this.#rules.pane || loops !== "") return;
    throw new AppError("invalid-argument", `Cannot expand ${what} without a pane`, {
      hint: "Give paneId; list-panes has the ids",
    });
  }

  #scan(what: string, loops: string): void {
    if (loops !== "") throw refuse(`${what} would keep tmux busy`);
    if (++this.#scans > MOST_SCANS) throw refuse(`it searches more than ${MOST_SCANS} times`);
  }

  /** Checks the pattern of `s`, `m` and `C`: glibc can take quadratic time for one, and more if it has counts. */
  #checkPattern(
    { branches, variable }: FormatExpression,
    { name, arguments: given }: FormatExpression["modifiers"][number],
    loops: string,
  ): void {
    const glob = name !== "s" && !given["flags"]?.includes("r");
    if (name === "C" && !this.#rules.contents) {
      throw refuse("C: and copy mode's variables show contents of panes: security.allow_capture = false");
    }
    const [first = [], ...others] = branches;
    const pattern = name === "s" ? given["pattern"] : constantText(name === "m" ? first : branches.flat());
    if (pattern === undefined) throw refuse(`the pattern of ${name} may not be a format`);
    checkSimple(pattern, { glob, repeats: glob ? MOST_STARS : name === "C" ? 0 : MOST_REPEATS });
    if (glob && name === "m") return;
    this.#scan("a regular expression in a loop", loops);
    if (name === "C") return;
    const subject = name === "s"
      ? variable === undefined ? branches : [[{ modifiers: [], branches: [], variable }]]
      : others;
    if (longestExpansion(subject) > MOST_SCANNED) {
      throw refuse(
        `${name} could go through more than ${MOST_SCANNED} characters; cut them first, like #{=200:pane_title}`,
      );
    }
  }
}

/** Checks the text that `R:` repeats: tmux repeats it up to 10,000 times, and `R:` can be nested. */
function checkRepeated(pieces: readonly FormatPiece[]): void {
  if (longestExpansion([pieces]) > LONGEST_REPEATED || constantText(pieces) === undefined) {
    throw refuse(`R: may repeat at most ${LONGEST_REPEATED} characters, and no format`);
  }
}

/** @throws {AppError} `denied` for a pattern with too many repeats, or with counts or references */
function checkSimple(pattern: string, { glob, repeats }: { glob: boolean; repeats: number }): void {
  if (pattern.length > LONGEST_PATTERN) {
    throw refuse(`a pattern is longer than ${LONGEST_PATTERN} characters`);
  }
  if (!glob && /[{%]|\\\d/.test(pattern)) {
    throw refuse("a regular expression may not contain counts or references");
  }
  if ((pattern.match(glob ? /\*/g : /[*+?]/g) ?? []).length > repeats) {
    throw refuse(
      glob
        ? `a pattern may contain at most ${repeats} stars`
        : `a regular expression here may have at most ${repeats} repeats`,
    );
  }
}

function refuse(why: string): AppError {
  return new AppError("denied", `Cannot expand the format: ${why}`, {
    hint: "Name variables, like #{pane_title}",
  });
}
