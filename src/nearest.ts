// Finds the word that was probably meant where one is not in a closed list.

/** Shorter parts of a word say too little. */
const LEAST_PART = 3;
/** Longer words are no slip of the hand, and comparing them takes time. */
const LONGEST = 100;
/** More candidates than this suggest nothing. */
const MAX_CANDIDATES = 3;

/**
 * The valid word that differs least, by no more than a slip of the hand; else the few that contain the given word
 * or are contained in it (`pane` for paneId, `claude` for claude-code and claude-desktop). Case, `-` and `_` do not
 * count.
 */
export function findNearest(given: string, valid: readonly string[]): string[] {
  if (given.length > LONGEST) return [];
  const letters = plain(given);
  const ranked = valid.map((word) => ({ word, distance: distance(letters, plain(word)) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  if (best && best.distance <= Math.max(1, Math.floor(letters.length / 4))) return [best.word];
  const akin = valid.filter((word) => isPart(letters, plain(word)) || isPart(plain(word), letters));
  return akin.length <= MAX_CANDIDATES ? akin : [];
}

/** The beginning of a hint: `Did you mean paneId? `, or nothing. */
export function didYouMean(given: string, valid: readonly string[]): string {
  const near = findNearest(given, valid);
  return near.length === 0 ? "" : `Did you mean ${near.join(" or ")}? `;
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[-_]/g, "");
}

function isPart(part: string, whole: string): boolean {
  return part.length >= LEAST_PART && whole.includes(part);
}

/** Letters in the wrong order are one slip. */
function distance(from: string, to: string): number {
  const swapped = from !== to && [...from].sort().join() === [...to].sort().join();
  return swapped ? 1 : editDistance(from, to);
}

function editDistance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const line = [row];
    for (let column = 1; column <= to.length; column++) {
      const swap = above[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1);
      line.push(Math.min(swap, above[column]! + 1, line[column - 1]! + 1));
    }
    above = line;
  }
  return above[to.length]!;
}
