// Reads redirections: an operator and the file, descriptor or text after it.
import { skipBlanks } from "./blanks.ts";
import type { HereDocuments } from "./here_documents.ts";
import { unreadable } from "./scanner.ts";
import { readWord } from "./words.ts";
import { mayBe, type Word, type WordReading } from "./word_reading.ts";

export interface Redirect {
  readonly source: string;
  /** Text that the command reads through it; undefined if unknown. The text of a here-document is added later. */
  readonly input: readonly (string | undefined)[];
  /** True for `&>`, which ends a command in dash, so that nothing may follow it. */
  readonly last: boolean;
}

const OPERATOR = /&>>?|\d*(?:<<<|<<-?|<&|<>|<|>&|>\||>>|>)/y;
/** A descriptor up to its end. */
const DESCRIPTOR = /(?:\d+|-)(?=[\s;&|)<]|$)/y;
/** Paths that may stand for a descriptor, in any spelling. */
const DEVICE = /^\/(?:dev|proc)\b|[^\w./@%+=:,-]/;

/** Reads the redirection that begins here; undefined if none does. */
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
    // bash 5.2 expands any other word here twice.
    const descriptor = scanner.take(DESCRIPTOR)?.[0];
    if (descriptor === undefined) throw unreadable(`${kind} is followed by more than a number`);
    if (kind === "<&" && descriptor !== "-") input.push(undefined);
  } else input.push(...readTarget(reading, kind));
  return { source: scanner.from(from), input, last: kind.startsWith("&") && mayBe(reading, "sh") };
}

function readTarget(reading: WordReading, kind: string): (string | undefined)[] {
  if (kind === ">|" && mayBe(reading, "fish")) throw unreadable(">| is a pipe in fish");
  skipBlanks(reading);
  // zsh's `>!`, fish's `>?`, ksh's `<#` and `>;` are operators of their own.
  if (reading.scanner.peek(/[!?#~]/y) !== undefined) {
    throw unreadable(`${kind} is followed by ${reading.scanner.here}`);
  }
  const word = readWord(reading);
  if (word === undefined) throw unreadable(`${kind} is not followed by a word`);
  if (kind === "<<<") return [word.value];
  // deno-lint-ignore no-control-regex -- blanks to some libraries are among what is not ASCII
  if (/^[^'"]*[^\x00-\x7f]/.test(word.source)) throw unreadable("a file's name outside quotes is not ASCII");
  return kind.includes("<") ? readsFile(word) : [];
}

/** Input from a file is unknown, because a file's name reveals nothing about its content. */
function readsFile({ value }: Word): (string | undefined)[] {
  return value === undefined || DEVICE.test(value) ? [undefined] : [];
}
