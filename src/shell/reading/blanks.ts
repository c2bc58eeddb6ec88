// Blanks between words and commands: spaces, continued lines, comments, ends of lines.
import type { HereDocuments } from "./here_documents.ts";
import { unreadable } from "./scanner.ts";
import type { WordReading } from "./word_reading.ts";

/** Blanks of one line; a backslash at its end continues in the next one. */
export function skipBlanks({ scanner, pending }: WordReading): void {
  while (scanner.take(/[ \t]+/y) !== undefined) {
    if (scanner.take(/\\\n/y) === undefined) continue;
    if (pending || scanner.peek(/[ \t]*(?:#|\\\n|$)/y) !== undefined) {
      throw unreadable("nothing that shells read alike stands behind a backslash at the end of a line");
    }
  }
}

/** Blanks, comments and ends of lines, with the here-documents that begin there. */
export function skipLines(reading: WordReading & { readonly documents: HereDocuments }): void {
  const { scanner, documents } = reading;
  for (;;) {
    skipBlanks(reading);
    skipComment(reading);
    if (!scanner.skip("\n")) return;
    if (reading.nested && reading.pending) {
      throw unreadable("a here-document begins behind an open substitution");
    }
    documents.readBodies(reading);
  }
}

/** A comment behind a blank, or at the start of a line. */
function skipComment({ scanner, comments }: WordReading): void {
  if (!comments || scanner.here !== "#") return;
  if (!/^\s?$/.test(scanner.before)) throw unreadable("a # stands right behind an operator");
  const comment = scanner.take(/#[^\n]*/y)![0];
  if (comment.endsWith("\\")) throw unreadable("a comment ends in a backslash");
}
