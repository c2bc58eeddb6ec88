// Finds what a command evaluates as arithmetic or as a variable's name, because either runs a `$(…)` in a
// variable's value.
import { unreadable } from "./scanner.ts";
import { type Assignment, type CommandReading, commandsIn, type SimpleCommand } from "./command_reading.ts";
import { checkShellOptions } from "./shell_options.ts";
import { mayBe, type Word } from "./word_reading.ts";

/** Builtins whose arguments zsh and ksh evaluate. */
const COUNTS = /^(?:exit|return|shift|break|continue|logout|bye|repeat)$/;
const DECLARES = /^(?:declare|typeset|export|readonly|local|private|global)$/;
/** Options of `declare` and the like that neither evaluate nor rename. */
const DECLARATION = /^[-+][AaUfglprtuxh]+$/;
/** Builtins that set the variables that their arguments name to the values they are given. */
const FILLS =
  /^(?:read|getopts|printf|mapfile|readarray|vared|getln|zparseopts|zformat|zstyle|sysread|zstat)$/;
const CONVERSION = /%[-+ #0]*(\*|(?:[1-9]\d*)?)(?:\.(\*|\d*))?([A-Za-z%])/g;
const INTEGER = /^-?\d+$/;

/** @throws {AppError} `denied` for a command that evaluates anything other than a number that the text itself sets */
export function checkEvaluation(reading: CommandReading, command: SimpleCommand): void {
  for (const each of commandsIn(command)) {
    checkBuiltin(reading, each);
    spoilArguments(reading, each);
  }
}

function checkBuiltin(reading: CommandReading, command: SimpleCommand): void {
  const { words } = command;
  const name = words[0]?.name ?? "";
  if (DECLARES.test(name)) checkDeclared(reading, command);
  if (/^(?:let|integer|float|nameref|zregexparse)$/.test(name)) {
    throw unreadable(`${name} evaluates its arguments`);
  }
  if (/^(?:test|\[\[?)$/.test(name)) checkTest(reading, words);
  if (COUNTS.test(name) && mayBe(reading, "zsh", "sh")) checkNumbers(reading, words.slice(1, 2));
  checkShellOptions(reading, words);
  BUILTINS[name]?.(reading, words.slice(1));
}

/** Refuses `commandline`, which puts text at the prompt for keys to complete. */
function checkCommandline(reading: CommandReading): void {
  if (mayBe(reading, "fish")) throw unreadable("commandline changes what is typed at the prompt");
}

const BUILTINS: Readonly<Record<string, (reading: CommandReading, words: readonly Word[]) => void>> = {
  commandline: checkCommandline,
  printf: checkPrintf,
  print: checkPrint,
  read: checkRead,
  set: checkSet,
  ulimit: checkLimit,
  wait: checkWait,
};

function checkDeclared(reading: CommandReading, { words, declared }: SimpleCommand): void {
  const options = words.slice(1).map(({ value, source }) => value ?? source).filter((each) =>
    /^[-+]/.test(each)
  );
  const odd = options.find((each) => !DECLARATION.test(each));
  if (odd !== undefined) throw unreadable(`${words[0]!.source} ${odd} may evaluate its arguments`);
  const listed = options.some((each) => /[aA]/.test(each));
  if (listed) words.forEach(({ source }) => reading.numbers.list(source));
  for (const each of declared) {
    if (each !== undefined) checkGiven(reading, each, { name: words[0]!.name!, listed });
  }
}

function checkGiven(
  reading: CommandReading,
  { name, array, value }: Assignment,
  by: { name: string; listed: boolean },
): void {
  if (by.listed && !array) throw unreadable("declare -a evaluates its arguments");
  // Old versions of dash split the value and take the second word as another variable.
  if (value?.splits && mayBe(reading, "sh")) {
    throw unreadable("some shells split an exported value: quote it");
  }
  // bash also reads a quoted `(…)` as a list if the variable is one, which a new local variable isn't.
  const mayBeList = by.name === "local"
    ? reading.numbers.isList(name)
    : /^(?:declare|typeset)$/.test(by.name);
  if (mayBeList && value !== undefined && mayBegin(value, "(") && mayBe(reading, "bash")) {
    throw unreadable(`${by.name} evaluates a list among its arguments: set it with ${name}=…`);
  }
}

/** Checks `printf`. In bash, an unknown first word may be `-v` and a name; zsh and ksh evaluate numeric arguments. */
function checkPrintf(reading: CommandReading, words: readonly Word[]): void {
  const [format, ...values] = words;
  if (format === undefined || values.length === 0 && !format.splits) return;
  if (format.value === undefined && mayBegin(format, "-")) {
    throw unreadable("the format of printf is unknown");
  }
  if (mayBe(reading, "zsh", "sh")) checkFormat(reading, format, values);
}

function checkFormat(reading: CommandReading, { value: format }: Word, values: readonly Word[]): void {
  if (format === undefined || format.startsWith("-")) throw unreadable("the format of printf is unknown");
  const conversions = [...format.matchAll(CONVERSION)].filter(([, , , kind]) => kind !== "%");
  if (conversions.some(([whole]) => whole.includes("*"))) {
    throw unreadable("the format of printf takes widths");
  }
  values.forEach((word, at) => {
    const kind = conversions[at % conversions.length]?.[3] ?? "s";
    if (!/[sbqcQP]/.test(kind) && !INTEGER.test(word.value ?? "")) checkNumbers(reading, [word]);
  });
}

/** Checks `print`: `-f` takes a format, `-v`, `-A` and `-C` evaluate the next word, and `-z` puts text at the prompt. */
function checkPrint(reading: CommandReading, words: readonly Word[]): void {
  if (!mayBe(reading, "zsh", "sh")) return;
  for (const { value = "-v", source } of optionsOf(words)) {
    if (/[fvACz]/.test(value)) throw unreadable(`print ${source} may do more than print: write print -- …`);
  }
}

/** Checks `set`, whose `-A` names a variable. */
function checkSet(reading: CommandReading, words: readonly Word[]): void {
  if (!mayBe(reading, "zsh", "sh")) return;
  const unknown = optionsOf(words).find(({ value }) => value === undefined);
  if (unknown !== undefined) throw unreadable(`set may read ${unknown.source} as an option: write set -- …`);
}

/** Words that a command reads, or may read, as options. */
function optionsOf(words: readonly Word[]): readonly Word[] {
  const end = words.findIndex((word) => /^--?$/.test(word.value ?? "") || !mayBegin(word, "-+"));
  return end < 0 ? words : words.slice(0, end);
}

function checkLimit(reading: CommandReading, words: readonly Word[]): void {
  const limits = words.filter(({ value }) => !/^-|^(?:unlimited|hard|soft)$/.test(value ?? ""));
  if (mayBe(reading, "sh")) checkNumbers(reading, limits);
}

/** Checks `wait`, whose `-p` names a variable. */
function checkWait(reading: CommandReading, words: readonly Word[]): void {
  if (mayBe(reading, "bash")) checkNumbers(reading, words.filter(({ value }) => value === undefined));
}

/** Checks `read`; fish runs its prompt as a command. */
function checkRead(reading: CommandReading, words: readonly Word[]): void {
  const prompts = words.some(({ value }) => /^-\w*[pR]|^--(?:right-)?prompt(?:=|$)/.test(value ?? ""));
  if (prompts && mayBe(reading, "fish")) throw unreadable("read -p runs a command in fish");
}

/** Forgets numbers that the arguments name: any command may set them, and some shells evaluate what `read` sets. */
function spoilArguments({ numbers }: CommandReading, { words }: SimpleCommand): void {
  const fills = FILLS.test(words[0]?.name ?? "");
  for (const { source } of words.slice(1)) {
    const name = /^["'\\]*([A-Za-z_]\w*)/.exec(source)?.[1];
    if (name !== undefined) fills ? numbers.assign(name) : numbers.spoil(name);
  }
}

/** Operators of tests that compare numbers. */
const COMPARES = /^-(?:eq|ne|lt|le|gt|ge)$/;

/**
 * Checks `test`, `[` and `[[`, which evaluate the numbers that they compare and look up variables.
 * @throws {AppError} `denied` if an operator is unknown, or a number isn't one that the text itself has set
 */
function checkTest(reading: CommandReading, words: readonly Word[]): void {
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

/** Checks an operand: the first of two unknown words may be `-v`, and an unquoted unknown word may be both words. */
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

/** Checks that each word is a number, or a variable that the text has set to one. */
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

/** The single variable that a word names, or whose value it is. */
function variableOf({ source }: Word): string | undefined {
  const name = /^"?\$(?:(\w+)|\{(\w+)\})"?$|^([A-Za-z_]\w*)$/.exec(source);
  return name?.slice(1).find((each) => each !== undefined);
}

/** True if a word's value may begin with one of these characters. */
function mayBegin({ value, source }: Word, characters: string): boolean {
  const first = value === undefined ? /^["']?([\w./:,@%+(-])/.exec(source)?.[1] : value[0] ?? "";
  return first === undefined || first !== "" && characters.includes(first);
}
