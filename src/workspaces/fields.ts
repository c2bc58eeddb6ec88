// Reads the keys of one part of a workspace and checks their values.
// deno-lint-ignore-file camelcase -- the keys are those of the format
import { AppError } from "../errors.ts";
import { isPlainObject } from "../json.ts";
import { didYouMean } from "../nearest.ts";

/** Keys that tmuxp supports and this program doesn't, with the reason. */
const REFUSED: Readonly<Record<string, string>> = {
  plugins: "plugins are Python code that runs inside tmuxp",
  workspace_builder: "it names Python code that runs inside tmuxp",
  workspace_builder_paths: "it names Python code that runs inside tmuxp",
  workspace_builder_options: "it sets how tmuxp builds; this program always waits for panes",
};

/** Words that YAML 1.1 reads as booleans; in JSON they are strings. */
const SWITCHES: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  y: true,
  on: true,
  "1": true,
  false: false,
  no: false,
  n: false,
  off: false,
  "0": false,
};

/** A number whose text, as a command or a variable, is not the usual spelling of its value. */
export class WrittenNumber {
  readonly value: number;
  readonly #source: string;

  constructor(value: number, source: string) {
    this.value = value;
    this.#source = source;
  }

  toString(): string {
    return this.#source;
  }

  toJSON(): number {
    return this.value;
  }
}

export class WorkspaceFields {
  readonly #values: Record<string, unknown>;
  readonly #where: string;

  /** @throws {AppError} `invalid-argument` naming every key that isn't in `keys` */
  constructor(value: unknown, where: string, keys: readonly string[]) {
    this.#where = where;
    if (!isPlainObject(value)) throw wrong(where || "workspace", value, "keys and values");
    this.#values = value;
    const unknown = Object.keys(value).filter((key) =>
      !keys.includes(key) && !(Object.hasOwn(REFUSED, key) && isEmpty(value[key]))
    );
    if (unknown.length > 0) throw unknownKeys(unknown, keys, this);
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#values, key);
  }

  value(key: string): unknown {
    return this.has(key) ? this.#values[key] : undefined;
  }

  where(key: string): string {
    return this.#where === "" ? key : `${this.#where}.${key}`;
  }

  /** Text at a key; a number is as it was written. */
  text(key: string): string | undefined {
    const value = this.value(key);
    if (value === undefined || value === null) return undefined;
    if (typeof value === "string") return value;
    if (isNumber(value)) return String(value);
    throw wrong(this.where(key), value, "text, in quotes where YAML reads it as something else");
  }

  number(key: string, { min, max, whole = false }: { min: number; max: number; whole?: boolean }) {
    const given = this.value(key);
    if (given === undefined || given === null) return undefined;
    const value = given instanceof WrittenNumber ? given.value : given;
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    const fits = typeof number === "number" && number >= min && number <= max &&
      (!whole || Number.isInteger(number));
    if (fits) return number;
    throw wrong(this.where(key), value, `a ${whole ? "whole " : ""}number from ${min} to ${max}`);
  }

  flag(key: string): boolean | undefined {
    const value = this.value(key);
    if (value === undefined || value === null) return undefined;
    const flag = typeof value === "boolean" ? value : SWITCHES[String(value).toLowerCase()];
    if (flag !== undefined) return flag;
    throw wrong(this.where(key), value, "true or false");
  }

  /** Map of names to texts; `switches` are the spellings of true and false. */
  texts(key: string, switches: readonly [on: string, off: string]): Record<string, string> {
    const value = this.value(key) ?? {};
    if (!isPlainObject(value)) throw wrong(this.where(key), value, "names and values");
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => {
        if (typeof each === "string" || isNumber(each)) return [name, String(each)];
        if (typeof each === "boolean") return [name, switches[each ? 0 : 1]];
        throw wrong(`${this.where(key)}.${name}`, each, "text or a number");
      }),
    );
  }

  list(key: string): unknown[] {
    const value = this.value(key);
    if (Array.isArray(value)) return value;
    throw wrong(this.where(key), value, "a list");
  }
}

function isNumber(value: unknown): value is number | WrittenNumber {
  return typeof value === "number" || value instanceof WrittenNumber;
}

export function wrong(where: string, value: unknown, expected: string): AppError {
  const problem = value === undefined
    ? `Missing ${where}`
    : `Invalid ${where} ${JSON.stringify(value)?.slice(0, 100)}`;
  return new AppError("invalid-argument", `${problem}: expected ${expected}`, {
    hint: "Correct it in the workspace; nothing was created",
  });
}

function unknownKeys(unknown: readonly string[], keys: readonly string[], fields: WorkspaceFields): AppError {
  const refused = unknown.find((key) => Object.hasOwn(REFUSED, key));
  if (refused !== undefined) {
    return new AppError("unsupported", `Cannot follow ${fields.where(refused)}: ${REFUSED[refused]}`, {
      hint: "Leave it out, or load the file with tmuxp itself; nothing was created",
    });
  }
  const named = unknown.map((key) => fields.where(key)).join(", ");
  const what = `Unknown ${unknown.length === 1 ? "key" : "keys"} in the workspace: ${named}`;
  return new AppError("invalid-argument", what, {
    hint: `${didYouMean(unknown[0]!, keys)}Valid keys: ${keys.join(", ")}`,
  });
}

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}
