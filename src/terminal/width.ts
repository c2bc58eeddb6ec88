// Number of cells that a character takes in a terminal.

// East Asian Wide and Fullwidth blocks (Unicode 15.1, EastAsianWidth.txt, including unassigned gaps) and emoji.
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1aff0}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation})/u;
/** Two of these make a flag of two cells. */
const FLAG_LETTER = /^\p{Regional_Indicator}/u;
/** Zero-width joiner: draws the next character, unless that is ASCII, into the cells of the one before. */
export const JOINER = "\u200d";
/** Distance of tab stops. */
export const TAB_CELLS = 8;
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u;

/** Number of cells of one character (a string of one code point): 0, 1 or 2. */
export function characterWidth(character: string): 0 | 1 | 2 {
  if (character < "\u0300" || FLAG_LETTER.test(character)) return 1;
  if (ZERO.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Number of cells of a text without sequences that begins in a column, 0-based. */
export function cellsIn(text: string, column = 0): number {
  let cells = 0;
  let isJoined = false;
  for (const character of text) {
    if (character === "\t") cells += TAB_CELLS - (column + cells) % TAB_CELLS;
    else if (!isJoined || character < "\x80") cells += characterWidth(character);
    isJoined = character === JOINER && cells > 0;
  }
  return cells;
}

/**
 * Characters that make one sign of several: joiners, variants of emoji, skin tones, letters of flags. How many cells such
 * a sign takes differs between versions of tmux.
 */
export const JOINED = /[\u200d\ufe0f\p{Emoji_Modifier}\p{Regional_Indicator}]/u;
