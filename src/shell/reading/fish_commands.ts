// Reads commands as fish does: one after the other, where blocks are words like `begin` and `end` before them.
import { skipBlanks, skipLines } from "./blanks.ts";
import { unreadable } from "./scanner.ts";
import { readSimple } from "./simple_commands.ts";
import { type CommandReading, pipe } from "./command_reading.ts";
import { readWord } from "./words.ts";

/** Words that a command may follow. */
const BEFORE = /(?:if|while|not|and|or|begin|else|end|time|!)(?=[\s;|&)]|$)/y;
const BLOCK = /(?:for|switch|case|function)(?=\s)/y;

/** Reads commands up to the closing character, and leaves it. */
export function readFishList(reading: CommandReading, close: string): void {
  const { scanner, statements } = reading;
  let piped = false;
  for (;;) {
    skipLines(reading);
    if (scanner.here === close) return;
    if (scanner.done) throw unreadable(`it ends before ${close}`);
    if (scanner.take(/[;&|]+/y) !== undefined) {
      piped ||= scanner.before === "|";
      continue;
    }
    if (scanner.take(BEFORE) !== undefined) {
      if (scanner.peek(/[ \t]+-/y) !== undefined) throw unreadable("an option stands where a command begins");
      continue;
    }
    const block = scanner.take(BLOCK)?.[0];
    if (block !== undefined) {
      readHeader(reading, block);
      continue;
    }
    const first = statements.length;
    if (readSimple(reading) === undefined) throw unreadable(`${scanner.here} stands where a command begins`);
    if (piped) pipe(statements, first);
  }
}

/** The words behind `for`, `switch`, `case` and `function` run nothing but their substitutions. */
function readHeader(reading: CommandReading, block: string): void {
  const { scanner } = reading;
  skipBlanks(reading);
  const name = scanner.peek(/[A-Za-z_][\w-]*(?=[\s;])/y)?.[0];
  if ((block === "for" || block === "function") && name === undefined) {
    throw unreadable(`${block} is followed by more than a name`);
  }
  if (block === "for") reading.sets(name!, "spoiled");
  while (readWord(reading) !== undefined) {
    skipBlanks(reading);
    // `--on-event` runs it by itself, and other options may name what it takes.
    if (block === "function" && scanner.here === "-") throw unreadable("a function has options");
  }
}
