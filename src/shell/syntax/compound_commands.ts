// Reads lists of commands as POSIX shells do: pipes, groups, loops, conditions, functions.
import { skipBlanks, skipLines } from "./blanks.ts";
import { readRedirect, type Redirect } from "./redirects.ts";
import { unreadable } from "./scanner.ts";
import { readSimple } from "./simple_commands.ts";
import { type CommandReading, pipe, type SimpleCommand } from "./command_reading.ts";
import { readTest } from "./double_brackets.ts";
import { readWord } from "./words.ts";
import { mayBe, type Word } from "./word_reading.ts";

const RESERVED = /(?:then|do|done|fi|elif|else|esac|\})(?=[\s;&|<>()`]|$)/y;
const COMPOUND = /(?:if|while|until|for|case|\{|function)(?=\s)/y;
const FUNCTION = /[A-Za-z_][\w-]*[ \t]*\(\)/y;
/** Maximum number of redirections of a compound command, each of which applies to all commands in it. */
const MOST_REDIRECTS = 10;

/**
 * Reads commands up to the first of the words or characters that end them, which it leaves.
 * @returns That word or character; "" for the end of the text
 */
export function readList(reading: CommandReading, ends: readonly string[]): string {
  const { scanner } = reading;
  for (;;) {
    skipLines(reading);
    const end = findEnd(reading, ends);
    if (end !== undefined) return end;
    const alone = readAndOr(reading);
    skipBlanks(reading);
    const background = scanner.take(/&(?![&|!>])/y) !== undefined;
    if (!background && ends.length === 1 && ends[0] === "" && !reading.nested) learn(reading, alone);
    if (background || scanner.take(/;(?![;&|])/y) !== undefined || /^[#\n]?$/.test(scanner.here)) continue;
    if (findEnd(reading, ends.filter((each) => /^\W+$/.test(each))) === undefined) {
      throw unreadable(`${JSON.stringify(scanner.here)} is where a command should end`);
    }
  }
}

function findEnd({ scanner }: CommandReading, ends: readonly string[]): string | undefined {
  if (scanner.done) {
    if (ends.includes("")) return "";
    throw unreadable(`it ends before ${ends.filter((each) => each !== "").join(" or ")}`);
  }
  const word = scanner.peek(RESERVED)?.[0] ?? scanner.peek(/;;(?![&|])|\)/y)?.[0];
  if (word === undefined || ends.includes(word)) return word;
  throw unreadable(`${word} is where a command should begin`);
}

/** Records a variable that a separate statement sets to a number: it is a number in all that follows. */
function learn({ numbers }: CommandReading, alone: SimpleCommand | undefined): void {
  if (alone === undefined || alone.words.length > 0) return;
  for (const { name, numeric } of alone.assignments) if (numeric) numbers.know(name);
}

/** @returns The command, if it is the only one and simple */
function readAndOr(reading: CommandReading): SimpleCommand | undefined {
  let command = readPipeline(reading);
  for (skipBlanks(reading); reading.scanner.take(/&&|\|\|/y) !== undefined; skipBlanks(reading)) {
    skipLines(reading);
    readPipeline(reading);
    command = undefined;
  }
  return command;
}

function readPipeline(reading: CommandReading): SimpleCommand | undefined {
  const { scanner, statements } = reading;
  const negated = scanner.take(/!(?=[ \t])/y) !== undefined;
  skipBlanks(reading);
  let command = readTimed(reading, { first: true });
  for (skipBlanks(reading); scanner.take(/\|&?(?!\|)/y) !== undefined; skipBlanks(reading)) {
    skipLines(reading);
    const first = statements.length;
    readTimed(reading, { first: false });
    pipe(statements, first);
    command = undefined;
  }
  return negated ? undefined : command;
}

/** Reads a pipeline with `time`, which is a reserved word, but a program in sh, and in other shells after a `|`. */
function readTimed(reading: CommandReading, { first }: { first: boolean }): SimpleCommand | undefined {
  const { scanner, statements } = reading;
  const from = scanner.at;
  if (scanner.take(/time(?=[ \t])/y) === undefined) return readCommand(reading);
  skipBlanks(reading);
  if (scanner.take(/-p(?=[ \t])/y) === undefined && scanner.here === "-") {
    throw unreadable("time is followed by an option");
  }
  skipBlanks(reading);
  readCommand(reading);
  if (!first || mayBe(reading, "sh")) {
    const source = scanner.from(from).trimEnd();
    const bare = { assigns: [], inputs: [], piped: false, splits: false };
    statements.push({ source, name: "time", words: ["time"], ...bare });
  }
  return undefined;
}

function change(
  { statements }: CommandReading,
  first: number,
  how: (each: CommandReading["statements"][number]) => CommandReading["statements"][number],
): void {
  for (let at = first; at < statements.length; at++) statements[at] = how(statements[at]!);
}

function readCommand(reading: CommandReading): SimpleCommand | undefined {
  const { scanner, statements } = reading;
  const first = statements.length;
  const word = scanner.peek(COMPOUND)?.[0];
  if (scanner.here === "(") reading.deeper(() => readSubshell(reading));
  else if (word !== undefined && (word !== "function" || mayBeFunction(reading))) {
    scanner.skip(word);
    reading.deeper(() => COMPOUNDS[word as keyof typeof COMPOUNDS](reading));
  } else if (scanner.peek(FUNCTION) !== undefined) reading.deeper(() => readFunction(reading));
  else if (scanner.peek(/\[\[\s/y) !== undefined && (reading.shell === "bash" || reading.shell === "zsh")) {
    readTest(reading);
  } else {
    const command = readSimple(reading);
    if (command === undefined) {
      throw unreadable(`${JSON.stringify(scanner.here)} is where a command should begin`);
    }
    return command;
  }
  readRedirects(reading, first);
  return undefined;
}

function mayBeFunction({ shell }: CommandReading): boolean {
  if (shell === "bash" || shell === "zsh") return true;
  throw unreadable("function is an ordinary command to some shells");
}

/** Reads redirections of a compound command, which apply to all commands in it. */
function readRedirects(reading: CommandReading, first: number): void {
  const inner = reading.statements.length;
  const redirects: Redirect[] = [];
  for (;;) {
    skipBlanks(reading);
    const redirect = readRedirect(reading);
    if (redirect === undefined) break;
    redirects.push(redirect);
    if (redirects.length > MOST_REDIRECTS) {
      throw unreadable(`a group has more than ${MOST_REDIRECTS} redirections`);
    }
  }
  const inputs = redirects.map(({ input }) => input);
  const added = reading.statements.splice(inner);
  change(reading, first, (each) => ({ ...each, inputs: [...each.inputs, ...inputs] }));
  const bare = { name: "", words: [], assigns: [], piped: false, splits: false };
  reading.statements.push(
    ...added,
    ...redirects.map(({ source, input }) => ({ ...bare, source, inputs: [input] })),
  );
}

function readSubshell(reading: CommandReading): void {
  const { scanner } = reading;
  if (scanner.peek(/\(\(/y)) throw unreadable("(( is arithmetic in some shells: write ( ( for groups");
  scanner.at++;
  readList(reading, [")"]);
  scanner.at++;
}

const COMPOUNDS = {
  if: readIf,
  while: readLoop,
  until: readLoop,
  for: readFor,
  case: readCase,
  "{": (reading: CommandReading): void => readUpTo(reading, "}"),
  function: readNamedFunction,
};

/** Reads commands up to a reserved word, and continues after it. */
function readUpTo(reading: CommandReading, ...ends: readonly string[]): void {
  reading.scanner.skip(readList(reading, ends));
}

function readIf(reading: CommandReading): void {
  let end = "elif";
  while (end === "elif") {
    readUpTo(reading, "then");
    end = readList(reading, ["elif", "else", "fi"]);
    reading.scanner.skip(end);
  }
  if (end === "else") readUpTo(reading, "fi");
}

function readLoop(reading: CommandReading): void {
  readUpTo(reading, "do");
  readUpTo(reading, "done");
}

function readFor(reading: CommandReading): void {
  const { scanner, numbers } = reading;
  const from = scanner.at;
  const name = scanner.take(/[ \t]+([A-Za-z_]\w*)(?=[\s;])/y)?.[1];
  if (name === undefined) throw unreadable("for is followed by more than a name");
  skipBlanks(reading);
  const words: Word[] = [];
  if (scanner.take(/in(?=[ \t;\n])/y) !== undefined) words.push(...readWords(reading));
  else if (!/[;\n]/.test(scanner.here) && scanner.peek(/do\s/y) === undefined) {
    throw unreadable("for … has no in");
  }
  reading.sets(name, "kept", `for${scanner.from(from).trimEnd()}`);
  scanner.skip(";");
  skipLines(reading);
  if (scanner.take(/do(?=\s)/y) === undefined) throw unreadable("for … has no do");
  const counts = words.length > 0 &&
    words.every(({ numeric, source }) => numeric || /^\{\d+\.\.\d+\}$/.test(source));
  if (!counts) numbers.assign(name);
  const known = numbers.knows(name);
  if (counts) numbers.know(name);
  readUpTo(reading, "done");
  if (counts && !known) numbers.forget(name);
}

function readWords(reading: CommandReading): Word[] {
  const words: Word[] = [];
  for (;;) {
    skipBlanks(reading);
    const word = readWord(reading);
    if (word === undefined) return words;
    words.push(word);
  }
}

function readCase(reading: CommandReading): void {
  const { scanner } = reading;
  if (reading.nested) throw unreadable("case is inside a substitution");
  skipBlanks(reading);
  const word = readWord(reading);
  skipBlanks(reading);
  if (word === undefined || scanner.take(/in(?=\s)/y) === undefined) throw unreadable("case … has no in");
  for (;;) {
    skipLines(reading);
    if (scanner.take(/esac(?=[\s;&|)<>]|$)/y) !== undefined) return;
    readPatterns(reading);
    if (readList(reading, [";;", "esac"]) === "esac") continue;
    scanner.skip(";;");
  }
}

function readPatterns(reading: CommandReading): void {
  const { scanner } = reading;
  do {
    skipBlanks(reading);
    if (readWord(reading) === undefined) throw unreadable("a pattern of case is missing");
    skipBlanks(reading);
  } while (scanner.skip("|"));
  if (!scanner.skip(")")) throw unreadable("a pattern of case has no )");
}

function readNamedFunction(reading: CommandReading): void {
  if (reading.scanner.take(/[ \t]+[A-Za-z_][\w-]*(?:[ \t]*\(\))?(?=\s)/y) === undefined) {
    throw unreadable("function is followed by more than a name");
  }
  readBody(reading);
}

function readFunction(reading: CommandReading): void {
  const head = reading.scanner.take(FUNCTION)![0];
  if (/[ \t]/.test(head) && mayBe(reading, "fish")) {
    throw unreadable(`fish runs ${head}: write it without a blank`);
  }
  readBody(reading);
}

/** Reads a function's body. Its input is known only where the function is called. */
function readBody(reading: CommandReading): void {
  const { scanner, statements } = reading;
  skipLines(reading);
  const first = statements.length;
  if (scanner.take(/\{(?=\s)/y) !== undefined) readUpTo(reading, "}");
  else if (scanner.here === "(") readSubshell(reading);
  else throw unreadable("a function's body is not a group");
  pipe(statements, first);
}
