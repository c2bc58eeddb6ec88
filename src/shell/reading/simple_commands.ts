// Reads simple commands: assignments, words and redirections up to an operator.
import { skipBlanks } from "./blanks.ts";
import { checkEvaluation } from "./evaluations.ts";
import { readRedirect, type Redirect } from "./redirects.ts";
import { unreadable } from "./scanner.ts";
import type { Assignment, CommandReading, SimpleCommand } from "./command_reading.ts";
import { mayBe, type Word } from "./word_reading.ts";
import { readWord } from "./words.ts";
import { variablesOf } from "./variables.ts";

/** Words that begin or end something else if they come first. */
const RESERVED = /^(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|function)$/;
/** Words that may do so, in some shells even after an assignment. */
const RESERVED_SOMEWHERE = /^(?:!|\[\[|select|time|coproc|repeat|foreach|begin|end|switch|and|or|not)$/;
const DECLARES = /^(?:declare|typeset|export|readonly|local)$/;

/** Reads the simple command that begins here and adds its statement; undefined if none does. */
export function readSimple(reading: CommandReading): SimpleCommand | undefined {
  const { scanner, statements } = reading;
  const from = scanner.at;
  let to = from;
  let closed = false;
  const assignments: Assignment[] = [];
  const redirects: Redirect[] = [];
  const words: Word[] = [];
  const declared: (Assignment | undefined)[] = [];
  for (;; to = scanner.at) {
    skipBlanks(reading);
    const redirect = readRedirect(reading);
    if (redirect !== undefined) redirects.push(redirect);
    closed ||= redirect?.last === true;
    if (redirect !== undefined) continue;
    const at = scanner.at;
    const declares = DECLARES.test(words[0]?.name ?? "");
    const assignment = words.length === 0 || declares ? readAssignment(reading) : undefined;
    if (assignment !== undefined && !declares) {
      assignments.push(assignment);
      continue;
    }
    const word = assignment === undefined ? readWord(reading) : asWord(scanner.from(at), assignment);
    if (word === undefined) break;
    if (closed) throw unreadable("&> ends a command in sh");
    words.push(word);
    declared.push(assignment);
  }
  if (to === from) return undefined;
  const first = words[0]?.source ?? "";
  const prefixed = assignments.length + redirects.length > 0;
  if (RESERVED.test(first) || prefixed && RESERVED_SOMEWHERE.test(first)) {
    throw unreadable(`${first} is where a command should begin`);
  }
  const command = { assignments, words, declared };
  checkEvaluation(reading, command);
  statements.push({
    source: scanner.text.slice(from, to),
    name: words.length === 0 ? "" : words[0]!.name,
    words: words.map(({ name, value }, at) => at === 0 ? name : value),
    assigns: variablesOf(command),
    inputs: [...redirects.map(({ input }) => input), ...words.filter(isProcess).map(() => [undefined])],
    piped: false,
    splits: words.some(({ splits }) => splits),
  });
  return command;
}

/** True for `<(…)`, a file with the output of a command. */
function isProcess({ source }: Word): boolean {
  return source.startsWith("<(");
}

function readAssignment(reading: CommandReading): Assignment | undefined {
  const { scanner } = reading;
  const [, name, append] = scanner.take(/([A-Za-z_]\w*)(\+?)=/y) ?? [];
  if (name === undefined) return undefined;
  const array = scanner.here === "(" && reading.shell !== "fish";
  if (array) readArray(reading);
  const value = array ? undefined : readWord(reading);
  const numeric = !array && append === "" && (value === undefined || value.numeric);
  if (!numeric) reading.numbers.assign(name);
  return { name, numeric, array, value };
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
