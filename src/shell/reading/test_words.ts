// Finds what `test`, `[` and `[[` evaluate: numbers that they compare, and variables that they look up.
import { unreadable } from "./scanner.ts";
import type { CommandReading } from "./command_reading.ts";
import { checkNumbers, mayBegin, variableOf } from "./number_words.ts";
import { mayBe, type Word } from "./word_reading.ts";

const COMPARES = /^-(?:eq|ne|lt|le|gt|ge)$/;

/**
 * @throws {AppError} `denied` if an operator is unknown, or a number isn't one that the text itself has set
 */
export function checkTest(reading: CommandReading, words: readonly Word[]): void {
  const grammar = words[0]!.name === "[[";
  if (grammar && words.at(-1)!.source !== "]]") throw unreadable("[[ … ]] contains commands in sh");
  const evaluates = grammar || mayBe(reading, "zsh", "sh");
  words.forEach((word, at) => {
    const [before, after] = [words[at - 1], words[at + 1]];
    if (!grammar) checkOperands(reading, word, after);
    if (!evaluates) return;
    if (COMPARES.test(word.value ?? "")) checkNumbers(reading, [before, after]);
    if (word.value === "-t") checkNumbers(reading, [after]);
    const operates = word.value === undefined && !isOperator(before) && !isOperator(after);
    if (operates) throw untold();
  });
}

/**
 * Checks an operand: the first of two unknown words may be `-v`, and an unquoted unknown word may be both
 * words.
 */
function checkOperands(reading: CommandReading, word: Word, after: Word | undefined): void {
  const splits = word.splits && !reading.numbers.knows(variableOf(word) ?? "");
  if (splits && mayBe(reading, "bash", "sh")) throw unreadable("some shells split a tested value: quote it");
  if (word.value === undefined && mayBegin(word, "-") && after?.value === undefined && after !== undefined) {
    throw untold();
  }
}

/** True if a word is an operator or missing. */
function isOperator(word: Word | undefined): boolean {
  return word === undefined || /^(?:[-!=<>()[\]].*|test)$/.test(word.value ?? "");
}

function untold(): Error {
  return unreadable("the operands of test are unknown");
}
