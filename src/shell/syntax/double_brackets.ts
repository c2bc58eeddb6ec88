// Reads `[[ … ]]` of bash and zsh, which other shells read as a command with words and operators.
import { skipBlanks } from "./blanks.ts";
import { checkEvaluation } from "./evaluations.ts";
import { unreadable } from "./scanner.ts";
import type { CommandReading } from "./command_reading.ts";
import { variablesOf } from "./variables.ts";
import { readWord } from "./words.ts";
import type { Word } from "./word_reading.ts";

/** Unquoted text after `=~`. */
const EXPRESSION = /(?:[^\s'"`$\\;&<>]|\$(?=[\s)|]))+(?=[ \t])/y;

export function readTest(reading: CommandReading): void {
  const { scanner, statements } = reading;
  const from = scanner.at;
  const words: Word[] = [];
  while (words.at(-1)?.source !== "]]") {
    skipBlanks(reading);
    if (scanner.take(/(?:&&|\|\||[!()<>])(?=[ \t])/y) !== undefined) continue;
    if (words.at(-1)?.source === "=~" && scanner.take(EXPRESSION) !== undefined) continue;
    const word = readWord(reading);
    if (word === undefined) throw unreadable("[[ … ]] contains more than words and operators");
    words.push(word);
  }
  const declared = words.map(() => undefined);
  checkEvaluation(reading, { assignments: [], words, declared });
  statements.push({
    source: scanner.from(from),
    name: "[[",
    words: words.map(({ value }) => value),
    assigns: variablesOf({ assignments: [], words, declared }),
    inputs: [],
    piped: false,
    splits: false,
  });
}
