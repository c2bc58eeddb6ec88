// Finds what a command evaluates as arithmetic, or as a variable's name: either runs the `$(…)` in what a variable holds.
import { unreadable } from "./scanner.ts";
import { type Assignment, type CommandReading, commandsIn, type SimpleCommand } from "./command_reading.ts";
import { checkNumbers, mayBegin } from "./number_words.ts";
import { checkShellOptions } from "./shell_options.ts";
import { checkTest } from "./test_words.ts";
import { mayBe, type Word } from "./word_reading.ts";

/** Builtins of zsh and ksh that evaluate their arguments. */
const COUNTS = /^(?:exit|return|shift|break|continue|logout|bye|repeat)$/;
const DECLARES = /^(?:declare|typeset|export|readonly|local|private|global)$/;
/** Options of `declare` and its like that neither evaluate nor rename. */
const DECLARATION = /^[-+][AaUfglprtuxh]+$/;
/** Builtins that set what their arguments name to what they are given. */
const FILLS =
  /^(?:read|getopts|printf|mapfile|readarray|vared|getln|zparseopts|zformat|zstyle|sysread|zstat)$/;
const CONVERSION = /%[-+ #0]*(\*|\d*)(?:\.(\*|\d*))?([A-Za-z%])/g;
const INTEGER = /^-?\d+$/;

/** @throws {AppError} `denied` for a command that evaluates anything but a number which the text itself sets. */
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
  if (/^(?:let|integer|float|nameref)$/.test(name)) {
    throw unreadable(`${name} evaluates what its variables hold`);
  }
  if (/^(?:test|\[\[?)$/.test(name)) checkTest(reading, words);
  if (COUNTS.test(name) && mayBe(reading, "zsh", "sh")) checkNumbers(reading, words.slice(1, 2));
  checkShellOptions(reading, words);
  BUILTINS[name]?.(reading, words.slice(1));
}

const BUILTINS: Readonly<Record<string, (reading: CommandReading, words: readonly Word[]) => void>> = {
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
  if (odd !== undefined) throw unreadable(`${words[0]!.source} ${odd} may evaluate what it is given`);
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
  if (by.listed && !array) throw unreadable("declare -a evaluates what it is given");
  // Old versions of dash split it, and take the second word for another variable.
  if (value?.splits && mayBe(reading, "sh")) throw unreadable("some shells split what is exported: quote it");
  // To bash `(…)` in quotes is a list too, where the variable is one, as a new local variable is not.
  const mayBeList = by.name === "local"
    ? reading.numbers.isList(name)
    : /^(?:declare|typeset)$/.test(by.name);
  if (mayBeList && value !== undefined && mayBegin(value, "(") && mayBe(reading, "bash")) {
    throw unreadable(`${by.name} evaluates a list that it is given: set it with ${name}=…`);
  }
}

/** bash takes an unknown first word for `-v` and a name. zsh's and ksh's evaluate numeric arguments as expressions. */
function checkPrintf(reading: CommandReading, words: readonly Word[]): void {
  const [format, ...values] = words;
  if (format === undefined || values.length === 0 && !format.splits) return;
  if (format.value === undefined && mayBegin(format, "-")) {
    throw unreadable("the format of printf cannot be told");
  }
  if (mayBe(reading, "zsh", "sh")) checkFormat(reading, format, values);
}

function checkFormat(reading: CommandReading, { value: format }: Word, values: readonly Word[]): void {
  if (format === undefined || format.startsWith("-")) throw unreadable("the format of printf cannot be told");
  const conversions = [...format.matchAll(CONVERSION)].filter(([, , , kind]) => kind !== "%");
  if (conversions.some(([whole]) => whole.includes("*"))) {
    throw unreadable("the format of printf takes widths");
  }
  values.forEach((word, at) => {
    const kind = conversions[at % conversions.length]?.[3] ?? "s";
    if (!/[sbqcQP]/.test(kind) && !INTEGER.test(word.value ?? "")) checkNumbers(reading, [word]);
  });
}

/** `-f` has a format, and `-v`, `-A` and `-C` evaluate what follows. */
function checkPrint(reading: CommandReading, words: readonly Word[]): void {
  if (!mayBe(reading, "zsh", "sh")) return;
  for (const { value = "-v", source } of optionsOf(words)) {
    if (/[fvAC]/.test(value)) {
      throw unreadable(`print ${source} may evaluate what it is given: write print -- …`);
    }
  }
}

/** `-A` names a variable. */
function checkSet(reading: CommandReading, words: readonly Word[]): void {
  if (!mayBe(reading, "zsh", "sh")) return;
  const unknown = optionsOf(words).find(({ value }) => value === undefined);
  if (unknown !== undefined) throw unreadable(`set may take ${unknown.source} for an option: write set -- …`);
}

/** Words that a command takes, or may take, for options. */
function optionsOf(words: readonly Word[]): readonly Word[] {
  const end = words.findIndex((word) => /^--?$/.test(word.value ?? "") || !mayBegin(word, "-+"));
  return end < 0 ? words : words.slice(0, end);
}

function checkLimit(reading: CommandReading, words: readonly Word[]): void {
  const limits = words.filter(({ value }) => !/^-|^(?:unlimited|hard|soft)$/.test(value ?? ""));
  if (mayBe(reading, "sh")) checkNumbers(reading, limits);
}

/** `-p` names a variable. */
function checkWait(reading: CommandReading, words: readonly Word[]): void {
  if (mayBe(reading, "bash")) checkNumbers(reading, words.filter(({ value }) => value === undefined));
}

/** fish runs what it prompts with. */
function checkRead(reading: CommandReading, words: readonly Word[]): void {
  const prompts = words.some(({ value }) => /^-\w*[pR]|^--(?:right-)?prompt(?:=|$)/.test(value ?? ""));
  if (prompts && mayBe(reading, "fish")) throw unreadable("read -p runs a command in fish");
}

/** Any command may set what its arguments name, and some shells evaluate what `read` sets. */
function spoilArguments({ numbers }: CommandReading, { words }: SimpleCommand): void {
  const fills = FILLS.test(words[0]?.name ?? "");
  for (const { source } of words.slice(1)) {
    const name = /^["'\\]*([A-Za-z_]\w*)/.exec(source)?.[1];
    if (name !== undefined) fills ? numbers.assign(name) : numbers.spoil(name);
  }
}
