// Here-documents: lines of data up to the end word, read at the end of the command's line.
import { readExpansion } from "./expansions.ts";
import { unreadable } from "./scanner.ts";
import { mayBe, type WordReading } from "./word_reading.ts";

interface HereDocument {
  readonly end: string;
  /** `<<-`: tabs before lines are dropped. */
  readonly tabs: boolean;
  /** True if the end word was quoted, so that nothing in it is expanded. */
  readonly quoted: boolean;
  /** Receives the text; undefined if it depends on an expansion. */
  readonly input: (string | undefined)[];
}

export class HereDocuments {
  readonly #pending: HereDocument[] = [];

  get pending(): boolean {
    return this.#pending.length > 0;
  }

  /** Reads the word after `<<`; the text is added to `input` at the end of the line. */
  begin(reading: WordReading, { tabs, input }: Pick<HereDocument, "tabs" | "input">): void {
    if (mayBe(reading, "fish")) throw unreadable("fish runs the lines of a here-document");
    if (reading.nested) throw unreadable("a here-document begins inside a substitution");
    const word = reading.scanner.take(
      /[ \t]*(?:([A-Za-z_]\w*)|'([A-Za-z_]\w*)'|"([A-Za-z_]\w*)")(?=[\s;&|)<>]|$)/y,
    );
    if (word === undefined) throw unreadable("the end of a here-document is not a plain word");
    const [, bare, single, double] = word;
    this.#pending.push({ end: bare ?? single ?? double!, tabs, quoted: bare === undefined, input });
  }

  readBodies(reading: WordReading): void {
    for (const document of this.#pending.splice(0)) readBody(reading, document);
  }

  /** @throws {AppError} if the text ends before a here-document does */
  checkEnded(): void {
    if (this.pending) throw notEnded();
  }
}

function readBody(reading: WordReading, { end, tabs, quoted, input }: HereDocument): void {
  const lines: string[] = [];
  for (;;) {
    const line = reading.scanner.take(/([^\n]*)(?:\n|$)/y);
    if (line === undefined || line[0] === "") throw notEnded();
    const text = tabs ? line[1]!.replace(/^\t+/, "") : line[1]!;
    if (text === end) break;
    // Some shells also take such a line as the end, or as continued in the next line.
    if (text.trim() === end) throw unreadable("a line of a here-document is its end word with blanks");
    lines.push(text);
  }
  // The line end belongs to the command.
  if (reading.scanner.before === "\n") reading.scanner.at--;
  input.push(quoted ? lines.join("\n") : expand(reading, lines));
}

/** Reads expansions line by line, so that none can contain or hide the end. */
function expand(reading: WordReading, lines: readonly string[]): string | undefined {
  const texts = lines.map((line) => {
    const inner = reading.child(line);
    const { scanner } = inner;
    const parts: (string | undefined)[] = [];
    while (!scanner.done) {
      const plain = scanner.take(/[^$`\\]+/y) ?? scanner.take(/\\[^\n]/y);
      if (plain !== undefined) parts.push(plain[0].replace(/^\\([$`\\])/, "$1"));
      else if (scanner.here === "$") parts.push(readExpansion(inner, { quoted: true }).text);
      else throw unreadable("a line of a here-document contains a backquote or ends in a backslash");
    }
    return parts.includes(undefined) ? undefined : parts.join("");
  });
  return texts.includes(undefined) ? undefined : texts.join("\n");
}

function notEnded(): Error {
  return unreadable("a here-document has no end");
}
