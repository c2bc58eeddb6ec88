// bash's grammar: mvdan's parser, loaded when it is first needed. It decides if a text is whole; what a text runs
// is read by the command filter's own reader, as this one takes some texts apart where no shell does.

export interface ParseFailure {
  readonly message: string;
  /** The text ended where more was needed. */
  readonly incomplete: boolean;
}

export interface Grammar {
  /** Undefined for a text that parses. */
  findFailure(text: string): ParseFailure | undefined;
}

interface Syntax {
  readonly LangBash: number;
  Variant(language: number): unknown;
  NewParser(...options: unknown[]): { Parse(text: string, name: string): unknown };
  IsIncomplete(error: unknown): boolean;
}
/** Loads the parser: about 100 ms and 40 MB the first time, nothing after. */
export async function loadGrammar(): Promise<Grammar> {
  const { default: { syntax } } = await withoutEnvironment(() => import("mvdan-sh")) as unknown as {
    default: { syntax: Syntax };
  };
  return { findFailure: (text) => findFailure(syntax, text) };
}

/** As it loads, the parser lists the whole environment, which the server has no permission to and no use for. */
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

function findFailure(syntax: Syntax, text: string): ParseFailure | undefined {
  // A parser is not reused: after a failure deep inside, it keeps its state.
  const parser = syntax.NewParser(syntax.Variant(syntax.LangBash));
  try {
    parser.Parse(text, "");
    return undefined;
  } catch (error) {
    return failureOf(syntax, error);
  }
}

function failureOf(syntax: Syntax, error: unknown): ParseFailure {
  if (error instanceof Error) {
    return { message: "the parser gave up on it", incomplete: false };
  }
  const said = (error as { Error(): string }).Error();
  const [, message = said] = /^\d+:\d+: (.*)$/s.exec(said) ?? [];
  return { message, incomplete: syntax.IsIncomplete(error) };
}
