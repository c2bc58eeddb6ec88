// Says that something is unknown, what was probably meant, and what is valid.
import { ConfigError } from "./types.ts";

/** A word that is not in a closed list. */
export interface Stray {
  /** What it was meant to be: "flag", "tool". */
  readonly what: string;
  readonly given: string;
  readonly valid: readonly string[];
  /** Where it stood: " in …". */
  readonly where?: string;
}

/** The error for it: one line, with the nearest valid word and all of them. */
export function unknown({ what, given, valid, where = "" }: Stray): ConfigError {
  const near = findNearest(given, valid);
  const meant = near === undefined ? "." : `; did you mean ${near}?`;
  return new ConfigError(
    `Unknown ${what} ${JSON.stringify(given)}${where}${meant} Valid: ${valid.join(", ")}`,
  );
}

/** The valid word that differs least, if it differs by no more than a slip of the hand. */
export function findNearest(given: string, valid: readonly string[]): string | undefined {
  const ranked = valid.map((word) => ({
    word,
    distance: editDistance(given.toLowerCase(), word.toLowerCase()),
  }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best && best.distance <= Math.max(1, Math.floor(given.length / 4)) ? best.word : undefined;
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
