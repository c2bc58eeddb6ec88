// bash's grammar: mvdan's parser, loaded when it is first needed. It decides if a text is complete. The
// command filter has its own reader, because this parser splits some texts where no shell does.

export interface ParseFailure {
  readonly message: string;
  /** True if the text ended too early. */
  readonly incomplete: boolean;
}

interface Syntax {
  readonly LangBash: number;
  Variant(language: number): unknown;
  NewParser(...options: unknown[]): { Parse(text: string, name: string): unknown };
  IsIncomplete(error: unknown): boolean;
}

/**
 * Returns the failure to parse a text; undefined if it parses. The first time, this loads the parser, which takes about
 * 100 ms and 40 MB.
 */
export async function findFailure(text: string): Promise<ParseFailure | undefined> {
  const { default: { syntax } } = await withoutEnvironment(() => import("mvdan-sh")) as unknown as {
    default: { syntax: Syntax };
  };
  // Don't reuse a parser: it keeps its state after a failure deep inside.
  const parser = syntax.NewParser(syntax.Variant(syntax.LangBash));
  try {
    parser.Parse(text, "");
    return undefined;
  } catch (error) {
    return failureOf(syntax, error, text);
  }
}

/** Loads with an empty environment: while loading, the parser lists all variables, which the server may not read. */
async function withoutEnvironment<T>(load: () => Promise<T>): Promise<T> {
  const { default: process } = await import("node:process");
  const whole = Object.getOwnPropertyDescriptor(process, "env")!;
  Object.defineProperty(process, "env", { ...whole, value: {} });
  try {
    return await load();
  } finally {
    Object.defineProperty(process, "env", whole);
  }
}

function failureOf(syntax: Syntax, error: unknown, parsed: string): ParseFailure {
  if (error instanceof Error) return { message: "the parser gave up on it", incomplete: false };
  const text = (error as { Error(): string }).Error();
  const [, message = text] = /^\d+:\d+: (.*)$/s.exec(text) ?? [];
  return { message, incomplete: isOpen(message, parsed, syntax.IsIncomplete(error)) };
}

/** Messages about words that no shell looks for on the next line, though the parser would. */
const ON_SAME_LINE = /must be followed by a word$|^coproc clause requires/;
/** Start of a test, and its end, which the parser takes for an operand in `[[ -f ]]`. */
const TEST = /\[\[(?=\s)/;
const TEST_END = /\s\]\](?![^\s;&|()])/;

/** True if a shell would ask for more. */
function isOpen(message: string, text: string, isIncomplete: boolean): boolean {
  // The parser calls an open here-document wrong if its delimiter is quoted, and incomplete if it is not.
  if (message.startsWith("unclosed here-document")) return true;
  if (message.endsWith("matching [[ with ]]") && TEST_END.test(text.split(TEST).at(-1)!)) return false;
  return isIncomplete && !ON_SAME_LINE.test(message);
}
