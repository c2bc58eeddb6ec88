// Blanks between words and commands: spaces, continued lines, comments, ends of lines.
import type { HereDocuments } from "./here_documents.ts";
import { unreadable } from "./scanner.ts";
import type { WordReading } from "./word_reading.ts";

/** Skips the blanks of one line; a backslash at its end continues in the next line. */
export function skipBlanks({ scanner, pending }: WordReading): void {
  while (scanner.take(/[ \t]+/y) !== undefined) {
    if (scanner.take(/\\\n/y) === undefined) continue;
    if (pending || scanner.peek(/[ \t]*(?:#|\\\n|$)/y) !== undefined) {
      throw unreadable("shells read what follows a backslash at the end of a line differently");
    }
  }
}

/** Skips blanks, comments and line ends, and reads the here-documents that begin there. */
export function skipLines(reading: WordReading & { readonly documents: HereDocuments }): void {
  const { scanner, documents } = reading;
  for (;;) {
    skipBlanks(reading);
    skipComment(reading);
    if (!scanner.skip("\n")) return;
    if (reading.nested && reading.pending) {
      throw unreadable("a here-document begins after an open substitution");
    }
    documents.readBodies(reading);
  }
}

/** Skips a comment after a blank or at the start of a line. */
function skipComment({ scanner, comments }: WordReading): void {
  if (!comments || scanner.here !== "#") return;
  if (!/^\s?$/.test(scanner.before)) throw unreadable("a # follows an operator without a blank");
  const comment = scanner.take(/#[^\n]*/y)![0];
  if (comment.endsWith("\\")) throw unreadable("a comment ends in a backslash");
}
