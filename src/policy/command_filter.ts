// The command filter: with an allowlist, every simple command of a text must match a pattern; with a
// denylist, none may.
import type { RE2JS } from "re2js";
import { AppError } from "../errors.ts";
import type { WrappedCommands } from "../shell/syntax/wrappers.ts";
import type { Statement } from "../shell/syntax/command_reading.ts";
import type { ShellKind } from "../shell/shell_kind.ts";
import { denial } from "./denial.ts";
import { runsCode } from "./environment.ts";
import type { PolicySettings } from "./types.ts";

type FilterSettings = Pick<PolicySettings, "filterMode" | "filterPatterns" | "filterEnvironment">;

/** Module that reads shell text, loaded only for a filter: it has twenty modules, and most servers have no filter. */
type ShellReader =
  & typeof import("../shell/syntax/statements.ts")
  & typeof import("../shell/syntax/wrappers.ts");

const KEY = "security.command_filter";
const DEEPEST = 4;
/** Maximum number of parts of words that may be commands, each of which is matched against every pattern. */
const MOST_PIECES = 5000;

/** Maximum variables set before a command that a pattern can name; it is matched again for each. */
const MOST_ASSIGNMENTS = 20;

/** Progress of a check through the texts inside a text. */
interface TextCheck {
  readonly shell: ShellKind;
  readonly depth: number;
  /** Sum for the whole text. */
  readonly wrapped: { length: number };
}

export class CommandFilter {
  readonly #settings: FilterSettings;
  #compiled: RE2JS[] | undefined;
  #reader: ShellReader | undefined;

  constructor(settings: FilterSettings) {
    this.#settings = settings;
  }

  get active(): boolean {
    return this.#settings.filterMode !== "off";
  }

  /** @throws {AppError} `denied` for text that can't be read, or contains a command that the filter stops */
  async checkCommand(text: string, shell: ShellKind): Promise<void> {
    await this.#checkText(text, { shell, depth: 0, wrapped: { length: 0 } });
  }

  /** @throws {AppError} `denied` for a variable that makes shells run code, unless the settings name it */
  checkVariable(name: string): void {
    if (!runsCode(name) || this.#settings.filterEnvironment.includes(name)) return;
    throw denial(`Cannot set ${name}, which makes shells run code`, `${KEY}.environment does not name it`);
  }

  async #checkText(text: string, check: TextCheck): Promise<void> {
    if (check.depth > DEEPEST) throw this.#unknown("what commands inside commands run");
    const reader = this.#reader ??= await loadReader();
    const statements = this.#parse(text, check.shell, reader);
    this.#compiled ??= await compile(this.#settings.filterPatterns);
    for (const statement of statements) {
      for (const name of statement.assigns) {
        if (name === undefined) throw this.#unknown(`which variable "${statement.source}" sets`);
        this.checkVariable(name);
      }
      this.#checkStatement(statement);
      if (this.#settings.filterMode === "denylist") {
        check.wrapped.length += reader.wrappedLength(statement);
        if (check.wrapped.length > reader.MOST_WRAPPED) throw this.#unknown("what so many words run");
        await this.#checkWrapped(statement, reader.findWrapped(statement), check);
      }
    }
  }

  /** Parses text; the filter denies text that it can't parse. */
  #parse(text: string, shell: ShellKind, { parseStatements }: ShellReader): readonly Statement[] {
    try {
      return parseStatements(text, shell);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw denial(error.message, `${KEY}.mode = "${this.#settings.filterMode}"`, error.hint);
    }
  }

  #checkStatement(statement: Statement): void {
    const { source, name, words } = statement;
    if (name === undefined) throw this.#unknown(`what "${source}" runs`);
    if (source === "") return;
    const allows = this.#settings.filterMode === "allowlist";
    const plain = words.map((word) => word ?? "").join(" ");
    const hit = allows
      ? this.#find((pattern) => isMeant(pattern, statement))
      : this.#findMatch([source, plain, plain.replace(/^\S*\//, "")]);
    if (allows && hit === undefined) throw denial(`Cannot run "${source}"`, `${KEY} allows no such command`);
    if (!allows && hit !== undefined) throw this.#denied(source, hit);
  }

  async #checkWrapped(
    statement: Statement,
    wrapped: WrappedCommands | undefined,
    check: TextCheck,
  ): Promise<void> {
    if (wrapped === undefined) return;
    if (wrapped.unknown) throw this.#unknown(`what "${statement.source}" runs`);
    for (const name of wrapped.variables) this.checkVariable(name);
    const pieces = wrapped.words.flatMap((word) => word.split(/[\n;&|()]+/).map((part) => part.trim()));
    if (pieces.length > MOST_PIECES) throw this.#unknown(`what so many words in "${statement.source}" run`);
    for (const command of [...wrapped.commands, ...pieces]) {
      const hit = this.#findMatch([command, command.replace(/^\S*\//, "")]);
      if (hit !== undefined) throw this.#denied(statement.source, hit);
    }
    for (const text of wrapped.texts) {
      await this.#checkText(text, { ...check, shell: "unknown", depth: check.depth + 1 });
    }
  }

  #findMatch(texts: readonly string[]): string | undefined {
    return this.#find((pattern) => texts.some((text) => pattern.test(text)));
  }

  #find(matches: (pattern: RE2JS) => boolean): string | undefined {
    const at = this.#compiled?.findIndex(matches) ?? -1;
    return at < 0 ? undefined : this.#settings.filterPatterns[at];
  }

  #denied(source: string, pattern: string): AppError {
    return denial(`Cannot run "${source}"`, `${KEY} denies ${pattern}`);
  }

  #unknown(what: string): AppError {
    return denial(`Cannot tell ${what}`, `${KEY}.mode = "${this.#settings.filterMode}"`);
  }
}

/**
 * True if a pattern matches a command and means it. `^ps\b` also matches `ps=1 rm x` and `ps''ql`: a pattern that
 * matches neither the command alone nor its name without quotes must need each `=`, and the quotes.
 */
function isMeant(pattern: RE2JS, { source, name = "", named }: Statement): boolean {
  if (!pattern.test(source)) return false;
  if (named === undefined) return true;
  const { from, to, equals } = named;
  const [before, written, after] = [source.slice(0, from), source.slice(from, to), source.slice(to)];
  const without = (at: number): string => `${source.slice(0, at)}\0${source.slice(at + 1)}`;
  const isSet = equals.length > 0 && !pattern.test(written + after) &&
    (equals.length > MOST_ASSIGNMENTS || equals.some((at) => pattern.test(without(at))));
  const isQuoted = written !== name && !pattern.test(before + name + after) &&
    pattern.test(before + written.replace(/['"\\$]/g, "\0") + after);
  return !isSet && !isQuoted;
}

async function loadReader(): Promise<ShellReader> {
  const [statements, wrappers] = await Promise.all([
    import("../shell/syntax/statements.ts"),
    import("../shell/syntax/wrappers.ts"),
  ]);
  return { ...statements, ...wrappers };
}

async function compile(patterns: readonly string[]): Promise<RE2JS[]> {
  const { RE2JS } = await import("re2js");
  return patterns.map((pattern) => RE2JS.compile(pattern));
}
