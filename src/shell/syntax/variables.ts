// Variables that a simple command sets, by its own assignments and by names among its arguments.
import { programOf } from "./wrapper_programs.ts";
import { commandsIn, type SimpleCommand } from "./command_reading.ts";
import type { Word } from "./word_reading.ts";

/** Commands that set variables that their arguments name. */
const SETTERS = new Set(
  `read mapfile readarray getopts set setenv env export declare typeset local readonly let vared integer float
  private nameref global unset wait getln zparseopts zformat zstyle sysread zstat zselect`.split(/\s+/),
);
/** Builtins whose arguments always name variables; an expansion may name any variable. */
const NAMERS = new Set(
  `read mapfile readarray getopts setenv export declare typeset local readonly let vared integer float private nameref
  global unset getln zparseopts zformat zstyle sysread zstat zselect`.split(/\s+/),
);
/** Options whose argument is the name of a variable. */
const NAMING_OPTIONS: Readonly<Record<string, RegExp>> = {
  test: /^-[vR]$/,
  "[": /^-[vR]$/,
  "[[": /^-[vR]$/,
  set: /^[-+]\w*A$/,
  wait: /^-\w*p$/,
};

/** Names of the variables that a command sets; undefined for one that depends on an expansion. */
export function variablesOf(command: SimpleCommand): (string | undefined)[] {
  return commandsIn(command).flatMap(setBy);
}

function setBy({ assignments, words, declared }: SimpleCommand): (string | undefined)[] {
  const given = declared.filter((each) => each !== undefined).map((each) => each.name);
  const named = namedVariables(words.map(({ value }) => value));
  const unknown = namesUnknown(words, declared.slice(1)) ? [undefined] : [];
  return [...assignments.map((each) => each.name), ...given, ...named, ...unknown];
}

/** Variables that a command's words name. */
export function namedVariables([first, ...rest]: readonly (string | undefined)[]): string[] {
  const name = programOf(first);
  const setting = name === "printf" && rest[0] === "-v" ? rest.slice(1, 2) : SETTERS.has(name) ? rest : [];
  const attached = name === "printf" ? /^-v(.+)/.exec(rest[0] ?? "")?.[1] : undefined;
  return [attached, ...setting].flatMap((word) => namesIn(word ?? ""));
}

/** True if it sets, unsets or looks up an unknown variable. */
function namesUnknown(words: readonly Word[], declared: readonly unknown[]): boolean {
  const [first, ...rest] = words;
  const name = first?.name ?? "";
  const untold = (word: Word | undefined): boolean => word?.value === undefined || /[[($`]/.test(word.value);
  if (NAMERS.has(name)) return rest.some((word, at) => declared[at] === undefined && untold(word));
  if (name === "printf") {
    return (rest[0]?.value?.startsWith("-v") ?? rest.length > 0) && rest.length > 1 && untold(rest[1]);
  }
  const options = NAMING_OPTIONS[name];
  return options !== undefined &&
    rest.some(({ value }, at) => options.test(value ?? "") && untold(rest[at + 1]));
}

function namesIn(word: string): string[] {
  // bash takes a function from `BASH_FUNC_name%%=…`.
  const [, name, other] = /^([A-Za-z_]\w*)(?:\+?=|\[|$)|^([A-Za-z_][^\s=]*)=/.exec(word) ?? [];
  return [name ?? other].filter((each) => each !== undefined);
}
