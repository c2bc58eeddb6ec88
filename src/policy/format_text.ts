// The text that a format can expand to: its maximum length, and whether tmux can measure it.
import type { FormatExpression, FormatModifier, FormatPiece } from "./format_syntax.ts";

/** Variables of unlimited length: those that programs set, user options, options, and environment variables. */
const UNBOUNDED =
  /^(?:pane_(?:title|path|search_string|start_command)|copy_cursor_\w+|mouse_\w+|search_match)$|^[@A-Z]|-/;
/** Assumed longest content of any other variable. */
const VARIABLE_LENGTH = 500;

/** ASCII without times, whose names of months and days can be in any encoding. */
const MEASURED = /^[ -$&-~]*$/;
/** Modifiers that add no character whose width tmux may not know. */
const KEEPING = /^[wplndbq=]$/;
/** ASCII that tmux writes itself, and texts whose characters it has measured when it took them. Not window_name. */
const MEASURED_VARIABLES = new Set(
  `pane_id pane_index pane_width pane_height pane_pid window_id window_index window_width window_height window_flags
  window_panes session_id session_windows pane_title session_name`.split(/\s+/),
);
/** Variables and options that are never below 0. */
const LENGTHS = /^(?:status-(?:left|right)-length|(?:pane|window|client)_(?:width|height))$/;
/** Pattern of `s` that matches no "#", and no empty text. */
const LITERAL = /^\^?[\w/ ~-]+\$?$/;

/** The text of pieces; undefined if they contain expressions. */
export function constantText(pieces: readonly FormatPiece[]): string | undefined {
  const texts = pieces.filter((piece) => typeof piece === "string");
  return texts.length === pieces.length ? texts.join("") : undefined;
}

/** Maximum length of the expanded branches. */
export function longestExpansion(branches: readonly (readonly FormatPiece[])[]): number {
  return branches.flat().reduce(
    (sum, piece) => sum + (typeof piece === "string" ? longestText(piece) : longestOf(piece)),
    0,
  );
}

/** Maximum length of expanded text; a time can have any length (`%8000c`). */
function longestText(text: string): number {
  return text.includes("%") ? Infinity : text.length;
}

function longestOf({ modifiers, branches, variable }: FormatExpression): number {
  const inner = variable === undefined
    ? longestExpansion(branches)
    : UNBOUNDED.test(variable)
    ? Infinity
    : VARIABLE_LENGTH;
  return modifiers.reduce((length, { name, arguments: given }) => {
    const columns = Math.abs(Number(given["columns"] ?? given["limit"] ?? 0));
    if (/^(?:[ETRSWPL]|#\()$/.test(name)) return Infinity;
    if (name === "s") return (length + 1) * ((given["with"] ?? "").length + 1);
    if (name === "=") return columns === 0 ? length : Math.min(length, columns);
    if (name === "p") return Math.max(length, columns);
    return length;
  }, inner);
}

/**
 * False if tmux 3.6 and older might never end: to find the width of a text (`w`) or to cut off its beginning (`=-5`),
 * they measure all of it, and stay at a character that is no UTF-8 or that has no width in the C library (format_width).
 */
export function isMeasurable(expression: FormatExpression): boolean {
  const { modifiers, branches, variable } = expression;
  if (!modifiers.some(measures) || isCleaned(expression)) return true;
  const shown = modifiers.some(({ name }) => name === "w");
  // The mark of a cut can be any text.
  if (!modifiers.every((modifier) => keeps(modifier) && !(shown && isMarking(modifier)))) return false;
  return variable === undefined ? branches.flat().every(isMeasured) : MEASURED_VARIABLES.has(variable);
}

function isMeasured(piece: FormatPiece): boolean {
  if (typeof piece === "string") return MEASURED.test(piece);
  const { modifiers, variable } = piece;
  return isCleaned(piece) || variable !== undefined && MEASURED_VARIABLES.has(variable) &&
      modifiers.every((modifier) => keeps(modifier) && !isMarking(modifier));
}

function keeps({ name }: FormatModifier): boolean {
  return KEEPING.test(name);
}

function isMarking({ name, arguments: given }: FormatModifier): boolean {
  return name === "=" && given["edge"] !== undefined;
}

function measures({ name, arguments: given }: FormatModifier): boolean {
  return name === "w" ||
    name === "=" && !(Number(given["columns"] ?? given["limit"]) >= 0) && !LENGTHS.test(given["from"] ?? "");
}

/**
 * True for `#{=9;q/h:variable}`. Where tmux cuts off the end, it drops what it can't measure, except in styles (`#[…]`),
 * of which `q/h` leaves none: dropped between two `#`, a character could end a style. Before it cuts, it replaces with `s`.
 */
function isCleaned({ modifiers, variable }: FormatExpression): boolean {
  const cuts = modifiers.filter(({ name }) => name === "=");
  return variable !== undefined && cuts.length > 0 &&
    modifiers.every((modifier) => keeps(modifier) || replacesLiterally(modifier)) &&
    modifiers.some(({ arguments: given }) => given["quotes"] === "h") &&
    cuts.every(({ arguments: given }) => Number(given["columns"]) > 0);
}

/** True for `s/text/text/`, which leaves an even number of `#` in each row. */
function replacesLiterally({ name, arguments: given }: FormatModifier): boolean {
  const { pattern = "", with: replacement = "" } = given;
  return name === "s" && LITERAL.test(pattern) && MEASURED.test(replacement) && !replacement.includes("\\");
}
