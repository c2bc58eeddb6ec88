// Finds what a command evaluates as arithmetic, which runs the `$(…)` in what a variable holds.
import { unreadable } from "./scanner.ts";
import type { Assignment, CommandReading, SimpleCommand } from "./command_reading.ts";
import { mayBe, type Word } from "./word_reading.ts";

const COMPARES = /^-(?:eq|ne|lt|le|gt|ge)$/;
/** Variables that are integers in some shell, so that what is assigned is evaluated. */
const INTEGERS = new Set(
  `RANDOM SRANDOM SECONDS LINENO OPTIND HISTCMD HISTSIZE SAVEHIST BASHPID EPOCHSECONDS EPOCHREALTIME PPID UID EUID GID
  EGID GROUPS MAILCHECK TMOUT COLUMNS LINES LISTMAX KEYTIMEOUT FUNCNEST SHLVL BAUD LOGCHECK REPORTTIME REPORTMEMORY
  TRY_BLOCK_ERROR TRY_BLOCK_INTERRUPT TTYIDLE ERRNO DIRSTACKSIZE COMP_CWORD COMP_POINT status`.split(/\s+/),
);
/** Builtins of zsh and ksh that evaluate their arguments. */
const COUNTS = /^(?:exit|return|shift|break|continue|logout|bye|repeat)$/;
/** Options of `declare` and its like that neither evaluate nor rename. */
const DECLARATION = /^[-+][AaUfglprtuxh]+$/;
const CONVERSION = /%[-+ #0]*(\*|\d*)(?:\.(\*|\d*))?([A-Za-z%])/g;
const INTEGER = /^-?\d+$/;

/** @throws {AppError} `denied` for a command that evaluates anything but a number which the text itself sets. */
export function checkEvaluation(reading: CommandReading, command: SimpleCommand): void {
  const { words, assignments, declared } = command;
  const name = words[0]?.name ?? "";
  for (const each of [...assignments, ...declared]) if (each !== undefined) checkInteger(each);
  if (declared.length > 0 && /^(?:declare|typeset|export|readonly|local)$/.test(name)) {
    checkDeclared(reading, command);
  }
  if (/^(?:let|integer|float)$/.test(name)) throw unreadable(`${name} evaluates what its variables hold`);
  if (name === "[[" || /^(?:test|\[)$/.test(name) && mayBe(reading, "zsh", "sh")) checkTest(reading, words);
  if (COUNTS.test(name) && mayBe(reading, "zsh", "sh")) checkNumbers(reading, words.slice(1, 2));
  if (name === "printf" && mayBe(reading, "zsh", "sh")) checkFormat(reading, words.slice(1));
  spoilArguments(reading, words.slice(1));
}

function checkInteger({ name, numeric }: Assignment): void {
  if (INTEGERS.has(name) && !numeric) throw unreadable(`${name} is evaluated when it is set`);
}

function checkDeclared(reading: CommandReading, { words, declared }: SimpleCommand): void {
  const options = words.slice(1).filter(({ source }) => /^[-+]/.test(source));
  const odd = options.find(({ source }) => !DECLARATION.test(source));
  if (odd !== undefined) throw unreadable(`${words[0]!.source} ${odd.source} may evaluate what it is given`);
  const listed = options.some(({ source }) => /[aA]/.test(source));
  for (const each of declared) {
    if (each === undefined) continue;
    if (listed && !each.array) throw unreadable("declare -a evaluates what it is given");
    // Old versions of dash split it, and take the second word for another variable.
    if (each.value?.splits && mayBe(reading, "sh")) {
      throw unreadable("some shells split what is exported: quote it");
    }
  }
}

function checkTest(reading: CommandReading, words: readonly Word[]): void {
  if (words[0]!.name === "[[" && words.at(-1)!.source !== "]]") {
    throw unreadable("[[ … ]] holds commands to sh");
  }
  words.forEach(({ value, splits }, at) => {
    const [before, after] = [words[at - 1], words[at + 1]];
    if (COMPARES.test(value ?? "")) checkNumbers(reading, [before, after]);
    if (value === "-t") checkNumbers(reading, [after]);
    const operates = value === undefined && !isOperator(before) && !isOperator(after);
    if (operates) throw unreadable("what is compared by test cannot be told");
    const known = reading.numbers.knows(variableOf(words[at]!) ?? "");
    if (splits && !known && words[0]!.name !== "[[" && mayBe(reading, "sh")) {
      throw unreadable("some shells split what is tested: quote it");
    }
  });
}

/** True if a word is an operator, or missing. */
function isOperator(word: Word | undefined): boolean {
  return word === undefined || /^(?:[-!=<>()[\]].*|test)$/.test(word.value ?? "");
}

/** The one variable that a word names, or is the value of. */
function variableOf({ source }: Word): string | undefined {
  const name = /^"?\$(?:(\w+)|\{(\w+)\})"?$|^([A-Za-z_]\w*)$/.exec(source);
  return name?.slice(1).find((each) => each !== undefined);
}

/** Each must be a number, or a variable that the text has set to one. */
function checkNumbers({ numbers }: CommandReading, words: readonly (Word | undefined)[]): void {
  for (const word of words) {
    if (word === undefined || word.numeric || word.source === "]") continue;
    const variable = variableOf(word);
    if (variable === undefined || /^\d/.test(variable)) {
      throw unreadable(`${word.source} is evaluated as arithmetic`);
    }
    numbers.evaluate(variable);
  }
}

/** zsh's and ksh's `printf` evaluate numeric arguments as expressions. */
function checkFormat(reading: CommandReading, [format, ...values]: readonly Word[]): void {
  if (format === undefined || values.length === 0) return;
  if (format.value === undefined || format.value.startsWith("-")) {
    throw unreadable("the format of printf cannot be told");
  }
  const conversions = [...format.value.matchAll(CONVERSION)].filter(([, , , kind]) => kind !== "%");
  if (conversions.some(([whole]) => whole.includes("*"))) {
    throw unreadable("the format of printf takes widths");
  }
  values.forEach((word, at) => {
    const kind = conversions[at % conversions.length]?.[3] ?? "s";
    if (!/[sbqcQP]/.test(kind) && !INTEGER.test(word.value ?? "")) checkNumbers(reading, [word]);
  });
}

/** Any command may set what its arguments name, as `read x` does. */
function spoilArguments({ numbers }: CommandReading, words: readonly Word[]): void {
  for (const { source } of words) {
    const name = /^["'\\]*([A-Za-z_]\w*)/.exec(source)?.[1];
    if (name !== undefined) numbers.spoil(name);
  }
}
