// Finds the commands that other commands run: `sudo rm`, `eval "rm"`, `bash <<< rm`.
import {
  findWrapper,
  MARKS_TEXT,
  programOf,
  READERS,
  SHELL_STARTERS,
  type WrapperKind,
} from "./wrapper_programs.ts";
import type { Statement } from "./command_reading.ts";
import { namedVariables } from "./variables.ts";

export interface WrappedCommands {
  /** All remainders of its words, each of which may be the command it runs. */
  readonly commands: readonly string[];
  /** Words that may contain commands among other text. */
  readonly words: readonly string[];
  /** Words and input that a shell reads as text. */
  readonly texts: readonly string[];
  /** Variables that a command in its words sets. */
  readonly variables: readonly string[];
  /** True if something it runs depends on an expansion or on piped input. */
  readonly unknown: boolean;
}

/** Maximum length of everything that is read again because commands that run others contain it (characters). */
export const MOST_WRAPPED = 1_000_000;

/** Length of what `findWrapped` returns at most: each word may begin the command that it runs. */
export function wrappedLength({ name, source, words, inputs }: Statement): number {
  if (findWrapper(name) === undefined) return 0;
  return words.length * source.length + inputs.flat().reduce((sum, input) => sum + (input?.length ?? 0), 0);
}

type Words = readonly (string | undefined)[];

/** The commands that another command runs (`sudo`, `xargs`); undefined if it runs none of its arguments. */
export function findWrapped(statement: Statement): WrappedCommands | undefined {
  const wrapper = findWrapper(statement.name);
  if (wrapper === undefined) return undefined;
  const rest = statement.words.slice(1);
  const inside = rest.flatMap((word) => word === undefined ? [] : valuesIn(word, wrapper));
  const suffixes = suffixesOf(rest);
  // `sudo sh -c …`: the text that the last one reads is checked too.
  const wrappers = [statement.name, ...suffixes.map(([name]) => name)].map((name, at) => ({
    name,
    each: findWrapper(name),
    words: rest.slice(at),
  })).filter(({ each }) => each === wrapper || each === "reader" || each === "text");
  const texts = wrappers.flatMap(({ each, words }) => textsOf(each!, words));
  const startsShell = suffixesOf(statement.words).some(isBareShell);
  const reads = startsShell || isBareExec(statement) || wrappers.some(({ each }) => each === "reader");
  const inputs = reads ? statement.inputs.flat() : [];
  return {
    commands: [...suffixes.map((words) => words.join(" ")), ...inside],
    words: [...rest.filter((word) => word !== undefined), ...inside],
    texts: [...texts, ...inputs].filter((text) =>
      text !== undefined && /[^\w./:=,@%+-]/.test(text)
    ) as string[],
    variables: suffixes.flatMap(namedVariables),
    unknown: inputs.includes(undefined) || statement.piped && startsShell || readsPipe(statement) ||
      fillsCommand(statement) ||
      wrappers.some(({ each, words }) => isUnknown(each!, { words, statement })) ||
      wrappers.some(({ name, words }) => runsHistory(name, words)),
  };
}

/** True if a command runs a line of the history, which the filter can't read: `r`, and `fc` unless it only lists. */
function runsHistory(name: string | undefined, words: Words): boolean {
  const program = name === undefined ? undefined : programOf(name);
  if (program !== "fc") return program === "r";
  const flags = words.filter((word) => word?.startsWith("-")).join("");
  return !flags.includes("l") || /[es]/.test(flags);
}

function textsOf(wrapper: WrapperKind, words: Words): string[] {
  const known = words.filter((word) => word !== undefined);
  const attached = known.flatMap((word) => {
    const [, ...values] = ATTACHED.exec(word) ?? [];
    return values.filter((value) => value !== undefined);
  });
  // `alias q=text`
  if (wrapper === "text") {
    return [known.join(" "), ...known, ...attached, ...known.flatMap((word) => valuesIn(word, wrapper))];
  }
  const marked = words.filter((word, at) => word !== undefined && MARKS_TEXT.test(words[at - 1] ?? ""));
  return [...marked as string[], ...attached];
}

/** Shell text in the same word as its option, or after git's `!`. */
const ATTACHED = /^-[A-Za-z]*?[cS](.+)$|^--(?:command|split-string|run|exec)=(.+)$|^(?:[\w./-]+=)?!(.+)$/s;

/** True if an unknown word may be the command it runs. */
function isUnknown(
  wrapper: WrapperKind,
  { words, statement }: { words: Words; statement: Statement },
): boolean {
  const at = words.indexOf(undefined);
  if (at < 0) return false;
  switch (wrapper) {
    case "text":
      return true;
    case "reader":
      return statement.splits || words.indexOf(undefined, at + 1) >= 0 ||
        words.some((word) => MARKS_TEXT.test(word ?? ""));
    case "runner":
      return !isCertain(words.slice(0, at), statement);
    case "finder":
      return statement.splits ||
        words.some((word, index) => word === undefined && /^-(?:exec|ok)/.test(words[index - 1] ?? ""));
    case "tool":
      return words.some((word, index) => word === undefined && MARKS_TEXT.test(words[index - 1] ?? ""));
  }
}

/** Number of operands before the command that a command runs. */
const OPERANDS: Readonly<Record<string, number>> = {
  timeout: 1,
  gtimeout: 1,
  chroot: 1,
  flock: 1,
  taskset: 1,
  chrt: 1,
  sg: 1,
  runuser: 1,
};

/** True if these words certainly contain the command. */
function isCertain(words: Words, { name }: Statement): boolean {
  return operandsOf(words).length > (OPERANDS[programOf(name)] ?? 0);
}

/** Words that are neither options nor possible arguments of options. */
function operandsOf(words: Words): Words {
  return words.filter((word, at) =>
    !/^-|^\w+=/.test(word ?? "") && !(at > 0 && /^-/.test(words[at - 1] ?? ""))
  );
}

function suffixesOf(words: Words): Words[] {
  return words.map((_, at) => words.slice(at));
}

/** True for `su root`, `sudo -s` and the like: they start a shell that reads commands from their input. */
function isBareShell([program, ...words]: Words): boolean {
  const taken = SHELL_STARTERS[programOf(program)];
  if (taken === undefined || words.some((word) => /^-\w*c$|^--(?:session-)?command\b/.test(word ?? ""))) {
    return false;
  }
  const operands = operandsOf(words);
  return operands.length <= taken && !operands.some((word) => /\s/.test(word ?? ""));
}

/** True for `exec <<< text`, which makes the pane's own shell read that input. */
function isBareExec({ words }: Statement): boolean {
  return words.at(-1) === "exec";
}

/** The value in `--option=value`, `name=value`, `-xvalue` and `"key": value`. */
function valuesIn(word: string, wrapper: WrapperKind): string[] {
  if (wrapper === "finder") return [];
  const value = (wrapper === "text" ? /^[^=]*=(.*)$/s : /^[\w./-]+=!?(.*)$/s).exec(word)?.[1] ??
    /^-[A-Za-z]*?[cSe](.+)$/s.exec(word)?.[1];
  const bound = /^"[^"]*":(.*)$/s.exec(word)?.[1];
  return [value, bound].filter((each) => each !== undefined);
}

/** True if a shell, run directly or by another command, reads its commands from a pipe. */
function readsPipe({ piped, words }: Statement): boolean {
  const at = words.findIndex((word) => READERS.has(programOf(word)));
  if (at < 0) return false;
  const operands = words.slice(at + 1).filter((word) => word !== undefined);
  if (operands.some((word) => /^(?:\/dev\/(?:stdin|fd\/)|\/proc\/self\/fd\/)/.test(word))) return true;
  if (!piped || operands.some((word) => /^-\w*c/.test(word))) return false;
  return operands.every((word) => word.startsWith("-")) || operands.some((word) => /^-\w*s/.test(word));
}

/** Options of xargs and parallel that take an argument. */
const FILLER_OPTIONS = /^-[nILPsdEaJRj]$/;

/** True if the input may become the command or a part of its text: `xargs sh -c`, `xargs -I{} {}`. */
function fillsCommand({ name, words }: Statement): boolean {
  const at = [name, ...words.slice(1)].findIndex((word) => /^(?:xargs|parallel)$/.test(programOf(word)));
  if (at < 0) return false;
  const rest = words.slice(at + 1);
  let first = 0;
  while (rest[first]?.startsWith("-")) first += FILLER_OPTIONS.test(rest[first]!) ? 2 : 1;
  const command = programOf(rest[first]);
  const named = rest.flatMap((word, index) =>
    /^-[IJ]$/.test(word ?? "") ? [rest[index + 1]] : /^-[IiJ](.+)/.exec(word ?? "")?.[1] ?? []
  );
  return command === "" && programOf(words[at]) === "parallel" || /[{}%]/.test(command) ||
    named.some((mark) => mark === undefined || mark !== "" && command.includes(mark)) ||
    findWrapper(command) !== undefined;
}
