// Words that a command evaluates as arithmetic.
import { unreadable } from "./scanner.ts";
import type { CommandReading } from "./command_reading.ts";
import type { Word } from "./word_reading.ts";

/** Checks that each word is a number, or a variable that the text has set to one. */
export function checkNumbers({ numbers }: CommandReading, words: readonly (Word | undefined)[]): void {
  for (const word of words) {
    if (word === undefined || word.numeric || word.source === "]") continue;
    const variable = variableOf(word);
    if (variable === undefined || /^\d/.test(variable)) {
      throw unreadable(`${word.source} is evaluated as arithmetic`);
    }
    numbers.evaluate(variable);
  }
}

/** The single variable that a word names, or whose value it is. */
export function variableOf({ source }: Word): string | undefined {
  const name = /^"?\$(?:(\w+)|\{(\w+)\})"?$|^([A-Za-z_]\w*)$/.exec(source);
  return name?.slice(1).find((each) => each !== undefined);
}

/** True if a word's value may begin with one of these characters. */
export function mayBegin({ value, source }: Word, characters: string): boolean {
  const first = value === undefined ? /^["']?([\w./:,@%+(-])/.exec(source)?.[1] : value[0] ?? "";
  return first === undefined || first !== "" && characters.includes(first);
}
