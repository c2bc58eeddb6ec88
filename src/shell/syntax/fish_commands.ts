// Reads commands as fish does: as a sequence in which block words such as `begin` and `end` precede commands.
import { skipBlanks, skipLines } from "./blanks.ts";
import { unreadable } from "./scanner.ts";
import { readSimple } from "./simple_commands.ts";
import { type CommandReading, pipe } from "./command_reading.ts";
import { readWord } from "./words.ts";

/** Words that a command may follow. */
const BEFORE = /(?:if|while|not|and|or|begin|else|end|time|!)(?=[\s;|&)]|$)/y;
const BLOCK = /(?:for|switch|case|function)(?=\s)/y;

/** Reads commands up to the closing character, which it leaves. */
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
      if (scanner.peek(/[ \t]+-/y) !== undefined) {
        throw unreadable("an option is where a command should begin");
      }
      continue;
    }
    const block = scanner.take(BLOCK)?.[0];
    if (block !== undefined) {
      readHeader(reading, block);
      continue;
    }
    const first = statements.length;
    if (readSimple(reading) === undefined) {
      throw unreadable(`${scanner.here} is where a command should begin`);
    }
    if (piped) pipe(statements, first);
  }
}

/** Reads the words after `for`, `switch`, `case` and `function`, which run nothing except their substitutions. */
function readHeader(reading: CommandReading, block: string): void {
  const { scanner } = reading;
  skipBlanks(reading);
  const from = scanner.at;
  const name = scanner.peek(/[A-Za-z_][\w-]*(?=[\s;])/y)?.[0];
  if ((block === "for" || block === "function") && name === undefined) {
    throw unreadable(`${block} is followed by more than a name`);
  }
  while (readWord(reading) !== undefined) {
    skipBlanks(reading);
    // `--on-event` makes fish run the function itself, and other options may name its input.
    if (block === "function" && scanner.here === "-") throw unreadable("a function has options");
  }
  if (block === "for") reading.sets(name!, "spoiled", `for ${scanner.from(from).trimEnd()}`);
}
