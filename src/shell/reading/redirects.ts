// Reads redirections: an operator, and the file, descriptor or text it names.
import { skipBlanks } from "./blanks.ts";
import type { HereDocuments } from "./here_documents.ts";
import { unreadable } from "./scanner.ts";
import { readWord } from "./words.ts";
import { mayBe, type Word, type WordReading } from "./word_reading.ts";

export interface Redirect {
  readonly source: string;
  /** Text that a command reads through it; undefined if unknown. A here-document comes later. */
  readonly input: readonly (string | undefined)[];
  /** `&>`, which ends a command in dash: nothing may follow it. */
  readonly last: boolean;
}

const OPERATOR = /&>>?|\d*(?:<<<|<<-?|<&|<>|<|>&|>\||>>|>)/y;
/** End of a descriptor. */
const DESCRIPTOR = /(?:\d+|-)(?=[\s;&|)<]|$)/y;
/** Descriptors and paths that stand for one, in any spelling. */
const DEVICE = /^\/(?:dev|proc)\b|[^\w./@%+=:,-]/;

/** Reads the redirection that begins here; undefined where none does. */
export function readRedirect(
  reading: WordReading & { readonly documents: HereDocuments },
): Redirect | undefined {
  const { scanner, documents } = reading;
  if (scanner.peek(/[<>]\(/y) !== undefined) return undefined;
  const from = scanner.at;
  const operator = scanner.take(OPERATOR)?.[0];
  if (operator === undefined) return undefined;
  const input: (string | undefined)[] = [];
  const kind = operator.replace(/^\d+/, "");
  if (kind.startsWith("<<") && kind !== "<<<") {
    documents.begin(reading, { tabs: kind === "<<-", input });
  } else if (/^[<>]&$/.test(kind)) {
    // bash 5.2 expands any other word there twice.
    const descriptor = scanner.take(DESCRIPTOR)?.[0];
    if (descriptor === undefined) throw unreadable(`${kind} is followed by more than a number`);
    if (kind === "<&" && descriptor !== "-") input.push(undefined);
  } else input.push(...readTarget(reading, kind));
  return { source: scanner.from(from), input, last: kind.startsWith("&") && mayBe(reading, "sh") };
}

function readTarget(reading: WordReading, kind: string): (string | undefined)[] {
  if (kind === ">|" && mayBe(reading, "fish")) throw unreadable(">| is a pipe to fish");
  skipBlanks(reading);
  // zsh's `>!`, fish's `>?`, ksh's `<#` and `>;` are operators of their own.
  if (reading.scanner.peek(/[!?#~]/y) !== undefined) {
    throw unreadable(`${kind} is followed by ${reading.scanner.here}`);
  }
  const word = readWord(reading);
  if (word === undefined) throw unreadable(`${kind} is followed by no word`);
  if (kind === "<<<") return [word.value];
  // deno-lint-ignore no-control-regex -- blanks to some libraries are among what is not ASCII
  if (/^[^'"]*[^\x00-\x7f]/.test(word.source)) throw unreadable("a file's name outside quotes is not ASCII");
  return kind.includes("<") ? readsFile(word) : [];
}

/** The file is not read: like a script's name, its name reveals nothing about its content. */
function readsFile({ value }: Word): (string | undefined)[] {
  return value === undefined || DEVICE.test(value) ? [undefined] : [];
}
