// Names of programs as messages quote them.

const LONGEST = 64;

/** The name on one line: programs choose theirs, and a line break in one would begin a line of the message. */
export function plainName(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, "?").slice(0, LONGEST).toWellFormed();
}
