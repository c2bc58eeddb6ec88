// Errors for unknown words, with the likely intended word and all valid ones.
import { findNearest } from "../nearest.ts";
import { ConfigError } from "./types.ts";

/** A word that isn't in a closed list. */
export interface UnknownWord {
  /** Kind of word: "flag", "tool". */
  readonly what: string;
  readonly given: string;
  readonly valid: readonly string[];
  /** Place of the word: " in …". */
  readonly where?: string;
}

/** The error for an unknown word: one line, with the nearest valid word and all of them. */
export function unknownWord({ what, given, valid, where = "" }: UnknownWord): ConfigError {
  const near = findNearest(given, valid);
  const meant = near.length === 0 ? "." : `; did you mean ${near.join(" or ")}?`;
  return new ConfigError(
    `Unknown ${what} ${JSON.stringify(given)}${where}${meant} Valid: ${valid.join(", ")}`,
  );
}
