// Finds the word that was probably meant if a word is not in a closed list.

/** Shortest part of a word that is matched. */
const LEAST_PART = 3;
/** Longest word that is matched: a longer one is not a typo, and comparing it takes time. */
const LONGEST = 100;
const MAX_CANDIDATES = 3;

/**
 * Returns the valid word that differs least, if the difference can be a typo or the given word begins only that one;
 * otherwise the few words that contain the given word or are contained in it (`pane` for paneId, `claude` for
 * claude-code and claude-desktop). Case, `-` and `_` do not count.
 */
export function findNearest(word: string, valid: readonly string[]): string[] {
  if (word.length > LONGEST) return [];
  const letters = plain(word);
  const ranked = valid.map((word) => ({ word, distance: distance(letters, plain(word)) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  const begun = letters.length < LEAST_PART ? [] : valid.filter((word) => plain(word).startsWith(letters));
  if (begun.length === 1 && best!.distance > 1) return begun;
  if (best && best.distance <= Math.max(1, Math.floor(letters.length / 4))) return [best.word];
  const akin = valid.filter((word) => isPart(letters, plain(word)) || isPart(plain(word), letters));
  return akin.length <= MAX_CANDIDATES ? akin : [];
}

/** Returns the beginning of a hint, such as `Did you mean paneId? `, or an empty text. */
export function didYouMean(word: string, valid: readonly string[]): string {
  const near = findNearest(word, valid);
  return near.length === 0 ? "" : `Did you mean ${near.join(" or ")}? `;
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[-_]/g, "");
}

function isPart(part: string, whole: string): boolean {
  return part.length >= LEAST_PART && whole.includes(part);
}

/** Distance of two words; letters in the wrong order count as one typo. */
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
