// Reads simple commands: assignments, words and redirections up to an operator.
import { skipBlanks } from "./blanks.ts";
import { checkEvaluation } from "./evaluations.ts";
import { readRedirect, type Redirect } from "./redirects.ts";
import { unreadable } from "./scanner.ts";
import {
  type Assignment,
  type CommandReading,
  MOST_COMMANDS,
  type SimpleCommand,
} from "./command_reading.ts";
import { mayBe, type Word } from "./word_reading.ts";
import { readWord } from "./words.ts";
import { variablesOf } from "./variables.ts";

/** Words that begin or end something else if they come first. */
const RESERVED = /^(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|function)$/;
/** Words that may do so, in some shells even after an assignment. */
const RESERVED_SOMEWHERE = /^(?:!|\[\[|select|time|coproc|repeat|foreach|begin|end|switch|and|or|not)$/;
const DECLARES = /^(?:declare|typeset|export|readonly|local)$/;

/** Parts of a simple command, in the order of each kind. */
interface Parts {
  assignments: Assignment[];
  words: Word[];
  /** Assignments among the words. */
  declared: (Assignment | undefined)[];
  redirects: Redirect[];
  /** Offset of its name in the text. */
  named: number;
  /** Offset of its end in the text. */
  to: number;
}

/** Reads the simple command that begins here and adds its statement; undefined if none does. */
export function readSimple(reading: CommandReading): SimpleCommand | undefined {
  const { scanner, statements } = reading;
  const from = scanner.at;
  const { named, to, redirects, ...command } = readParts(reading);
  if (to === from) return undefined;
  const { words, assignments } = command;
  checkFirst(words[0]?.source ?? "", assignments.length + redirects.length > 0);
  checkEvaluation(reading, command);
  if (statements.length >= MOST_COMMANDS) throw unreadable(`it has more than ${MOST_COMMANDS} commands`);
  statements.push({
    source: scanner.text.slice(from, to),
    ...(words.length > 0 && {
      named: {
        from: named - from,
        to: named - from + words[0]!.source.length,
        equals: assignments.map(({ equals }) => equals - from),
      },
    }),
    name: words.length === 0 ? "" : words[0]!.name,
    words: words.map(({ name, value }, at) => at === 0 ? name : value),
    assigns: variablesOf(command),
    inputs: [...redirects.map(({ input }) => input), ...words.filter(isProcess).map(() => [undefined])],
    piped: false,
    splits: words.some(({ splits }) => splits),
  });
  return command;
}

function readParts(reading: CommandReading): Parts {
  const { scanner } = reading;
  const at = scanner.at;
  const parts: Parts = { assignments: [], words: [], declared: [], redirects: [], named: at, to: at };
  for (let isClosed = false;; parts.to = scanner.at) {
    skipBlanks(reading);
    const redirect = readRedirect(reading);
    if (redirect !== undefined) {
      parts.redirects.push(redirect);
      isClosed ||= redirect.last === true;
    } else if (!readPart(reading, parts, isClosed)) return parts;
  }
}

/** Reads an assignment or a word; false if the command ends here. */
function readPart(reading: CommandReading, parts: Parts, isClosed: boolean): boolean {
  const { scanner } = reading;
  const { assignments, words, declared } = parts;
  const at = scanner.at;
  const declares = DECLARES.test(words[0]?.name ?? "");
  const assignment = words.length === 0 || declares ? readAssignment(reading) : undefined;
  if (assignment !== undefined && !declares) {
    assignments.push(assignment);
    return true;
  }
  const word = assignment === undefined ? readWord(reading) : asWord(scanner.from(at), assignment);
  if (word === undefined) return false;
  if (isClosed) throw unreadable("&> ends a command in sh");
  if (words.length === 0) parts.named = at;
  words.push(word);
  declared.push(assignment);
  return true;
}

/** Refuses a first word that begins or ends something else. */
function checkFirst(word: string, isPrefixed: boolean): void {
  if (RESERVED.test(word) || isPrefixed && RESERVED_SOMEWHERE.test(word)) {
    throw unreadable(`${word} is where a command should begin`);
  }
}

/** True for `<(…)`, a file with the output of a command. */
function isProcess({ source }: Word): boolean {
  return source.startsWith("<(");
}

function readAssignment(reading: CommandReading): Assignment | undefined {
  const { scanner } = reading;
  const [, name, append] = scanner.take(/([A-Za-z_]\w*)(\+?)=/y) ?? [];
  if (name === undefined) return undefined;
  const equals = scanner.at - 1;
  const array = scanner.here === "(" && reading.shell !== "fish";
  if (array) readArray(reading);
  const value = array ? undefined : readWord(reading);
  const numeric = !array && append === "" && (value === undefined || value.numeric);
  if (!numeric) reading.numbers.assign(name);
  return { name, equals, numeric, array, value };
}

function asWord(source: string, { name, value }: Assignment): Word {
  const text = value === undefined ? "" : value.value;
  const whole = text === undefined ? undefined : `${name}=${text}`;
  return { source, value: whole, name: undefined, numeric: false, splits: value?.splits === true };
}

/** Reads `(a b)`, which may contain only words, each for the next index. */
function readArray(reading: CommandReading): void {
  const { scanner } = reading;
  if (mayBe(reading, "sh", "fish")) throw unreadable("in some shells, an array's words are commands");
  scanner.at++;
  for (;;) {
    do skipBlanks(reading); while (scanner.skip("\n"));
    if (scanner.skip(")")) return;
    const word = readWord(reading);
    if (word === undefined || /^\[|^\w+\+?=/.test(word.source)) {
      throw unreadable("an array contains more than words");
    }
  }
}
