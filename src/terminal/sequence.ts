// Effect of an escape sequence on the line being written.
import type { EscapeParser } from "./escape_parser.ts";
import type { Row } from "./row.ts";

/**
 * `edit` changes the cursor's row (see `editRow`), `idle` does so only if there is text right of the cursor, `move`
 * takes the cursor off the row or clears the row, `mode` changes the effect of later sequences or text.
 */
export type SequenceEffect = "none" | "edit" | "idle" | "move" | "mode";

const CSI = effects({ edit: "CDGIZ`ab", idle: "KPX@", move: "ABEFHLMSTdefkru", mode: "s" });
const ESCAPE = effects({ move: "DEM8c", mode: "7" });
/** DEC private modes that switch the screen or move the cursor. */
const MOVING_MODES: ReadonlySet<number> = new Set([3, 6, 47, 1047, 1049]);

/** Returns the effect of a finished sequence. */
export function effectOf(sequence: EscapeParser): SequenceEffect {
  if (sequence.kind === "escape") return escapeEffect(sequence);
  if (sequence.kind !== "csi" || sequence.intermediate !== 0) return "none";
  const final = String.fromCharCode(sequence.final);
  if (final === "h" || final === "l") return modeEffect(sequence);
  if (sequence.prefix !== 0) return "none";
  if (final === "K") return sequence.params[0] === 0 ? "idle" : "edit";
  if (final === "J") return sequence.params[0] === 0 ? "idle" : "move";
  return CSI.get(final) ?? "none";
}

/** Applies a sequence whose effect is `edit` or `idle`. */
export function editRow(row: Row, { final, count, params }: EscapeParser): void {
  switch (String.fromCharCode(final)) {
    case "C":
    case "a":
      return row.moveBy(count);
    case "D":
      return row.moveBy(-count);
    case "G":
    case "`":
      return row.moveTo(count - 1);
    case "I":
      for (let n = Math.min(count, row.columns); n > 0; n--) row.tab();
      return;
    case "Z":
      return row.backTab(count);
    case "K":
      return row.erase(params[0] ?? 0);
    case "J":
      return row.eraseBelow();
    case "P":
      return row.deleteCharacters(count);
    case "X":
      return row.eraseCharacters(count);
    case "@":
      return row.insertBlanks(count);
    case "b":
      return row.repeat(count);
  }
}

/** Index after the color sequence (`ESC [ … m`) that begins at `at`, or 0 if there is no complete one. */
export function colourEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at + 1] !== 0x5b) return 0;
  let end = at + 2;
  while ((bytes[end] as number) >= 0x30 && (bytes[end] as number) <= 0x3b) end++;
  return bytes[end] === 0x6d ? end + 1 : 0;
}

/** Sequences that set colours, modes or the cursor. */
// deno-lint-ignore no-control-regex
const NOTHING_DRAWN = /^(?:\x1b\[[\d;:?]*(?:[A-HSTadefhlmnrsu`]| q))+$/;
/** Size (bytes) up to which output is checked: a screen that is drawn has more. */
const MAX_UNDRAWN = 1024;

/** True if output draws nothing, such as a frame of ratatui in which nothing has changed. */
export function drawsNothing(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1b && bytes.length <= MAX_UNDRAWN &&
    NOTHING_DRAWN.test(new TextDecoder("latin1").decode(bytes));
}

function escapeEffect({ intermediate, final }: EscapeParser): SequenceEffect {
  const character = String.fromCharCode(final);
  if (intermediate === 0) return ESCAPE.get(character) ?? "none";
  if (intermediate === 0x23 && character === "8") return "move";
  const designatesCharset = intermediate >= 0x28 && intermediate <= 0x2f;
  return designatesCharset && character !== "B" ? "mode" : "none";
}

function modeEffect({ prefix, final, params }: EscapeParser): SequenceEffect {
  if (prefix === 0) return params.includes(4) ? "mode" : "none";
  if (prefix !== 0x3f) return "none";
  if (params.some((mode) => MOVING_MODES.has(mode))) return "move";
  if (params.includes(1048)) return final === 0x6c ? "move" : "mode";
  return params.includes(7) && final === 0x6c ? "mode" : "none";
}

function effects(table: Partial<Record<SequenceEffect, string>>): ReadonlyMap<string, SequenceEffect> {
  const entries = Object.entries(table) as [SequenceEffect, string][];
  return new Map(entries.flatMap(([effect, finals]) => [...finals].map((final) => [final, effect] as const)));
}
