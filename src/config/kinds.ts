// Kinds of option values: the valid values, and the parser for the text of a flag or variable.
import { parseJson } from "../json.ts";
import type { Host, ToolFilter } from "./types.ts";
import type { ValueSchema } from "./value_schema.ts";

export interface Kind<T> {
  readonly schema: ValueSchema;
  /** This is never set; it ties the kind to the type of its values. */
  readonly value?: T;
  /** Text that follows "must be" in an error. */
  readonly expects: string;
  /** Placeholder for the value in help; empty for a switch. */
  readonly placeholder: string;
  /** An empty variable is ignored, as if it was not set: it must not turn off what the file removes. */
  readonly emptyIsAbsent?: true;
  /** The possible values, if they are few. */
  readonly values?: readonly string[];
  /**
   * Returns the unvalidated value of a text.
   * @param texts One entry for each time the flag was given
   */
  read(texts: readonly string[]): unknown;
}

export function choice<const T extends string>(...values: readonly T[]): Kind<T> {
  return {
    schema: { type: "string", enum: values },
    expects: `one of ${values.join(", ")}`,
    placeholder: values.join("|"),
    values,
    read: last,
  };
}

const TEXT: ValueSchema = { type: "string", minLength: 1 };

/** Any text that isn't empty. */
export function anyText(placeholder: string): Kind<string> {
  return { schema: TEXT, expects: "text that is not empty", placeholder, read: last };
}

/** An RE2 pattern; its syntax is checked when configuration is resolved. */
export const pattern: Kind<string> = { ...anyText("REGEX"), expects: "an RE2 pattern that is not empty" };

/** The same kind, for an option without a default. */
export function optional<T>(kind: Kind<T>): Kind<T | undefined> {
  return kind;
}

const NAME: ValueSchema = { type: "string", pattern: "^[A-Za-z0-9_.-]{1,64}$" };

export const name: Kind<string> = {
  schema: NAME,
  expects: "1 to 64 letters, digits, dots, dashes or underscores",
  placeholder: "NAME",
  read: last,
};

export const toggle: Kind<boolean> = {
  schema: { type: "boolean" },
  expects: "true or false",
  placeholder: "",
  read: (texts) => ({ true: true, "1": true, false: false, "0": false })[last(texts) ?? ""],
};

/** A whole number above 0 of a unit. */
export function count(unit: string): Kind<number> {
  return {
    schema: { type: "integer", exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    expects: "a whole number above 0",
    placeholder: unit,
    read(texts) {
      const text = last(texts) ?? "";
      return /^\d+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : undefined;
    },
  };
}

/** A whole number of a unit, both bounds included. */
export function countWithin(unit: string, { least, most }: { least: number; most: number }): Kind<number> {
  return {
    ...count(unit),
    schema: { type: "integer", minimum: least, maximum: most },
    expects: `a whole number from ${least} to ${most}`,
  };
}

/** Texts separated by commas, or a JSON array for texts that contain commas. An empty text is an empty list. */
export function list(placeholder: string): Kind<readonly string[]> {
  return {
    schema: { type: "array", items: TEXT },
    expects: "a list of texts",
    placeholder: `${placeholder},…`,
    read: (texts) => texts.flatMap((given) => itemsOf(given) ?? splitAtCommas(given)),
  };
}

/** Pane ids separated by commas. */
export const paneIds: Kind<readonly string[]> = {
  ...list("ID"),
  schema: { type: "array", items: { type: "string", pattern: String.raw`^%\d+$` } },
  expects: "a list of pane ids such as %5",
};

/** One RE2 pattern each time the flag is given, or a JSON array of them: patterns contain commas. */
export const patterns: Kind<readonly string[]> = {
  schema: { type: "array", items: TEXT },
  expects: "a list of RE2 patterns (in a flag or variable: one pattern, or a JSON array)",
  placeholder: "REGEX",
  read: (texts) => texts.flatMap((given) => itemsOf(given) ?? [given]),
};

/** Masks with commas between them, or a JSON array. A comma splits only before another mask. */
export const masks: Kind<readonly string[]> = {
  schema: {
    type: "array",
    items: { type: "string", pattern: String.raw`^(?:env:[A-Za-z_]\w*|(?:literal|regex):.+)$` },
  },
  expects: "a list of env:NAME, literal:TEXT or regex:RE2",
  placeholder: "env:NAME",
  read: (texts) =>
    texts.flatMap((given) => itemsOf(given) ?? given.split(/\s*,\s*(?=(?:env|literal|regex):)/)),
};

/** `a,b` and `deny:a,b` deny, `allow:a,b` allows; names and `@groups`. */
export const toolFilter: Kind<ToolFilter> = {
  schema: {
    type: "object",
    properties: {
      mode: { default: "deny", type: "string", enum: ["deny", "allow"] },
      items: { default: [], type: "array", items: TEXT },
    },
    additionalProperties: false,
  },
  expects:
    '[deny:|allow:]NAME,… (in the file mode = "deny" or "allow", and items), with tools and @groups as names, and one mode for all',
  placeholder: "[deny:|allow:]NAME,…",
  read(texts) {
    const filters = texts.map((text) => /^\s*(?:(\w+)\s*:)?(.*)$/s.exec(text) ?? []);
    const modes = new Set(filters.map(([text = "", mode = "deny"]) => text.trim() && mode.toLowerCase()));
    const [mode] = modes;
    const items = filters.flatMap(([, , names = ""]) => splitAtCommas(names));
    return modes.size === 1 && mode !== "" ? { mode, items } : undefined;
  },
  emptyIsAbsent: true,
};

/** Machines by name: `NAME=OPTIONS DEST` as a flag; in the environment, also a JSON object. */
export const hosts: Kind<Readonly<Record<string, Host>>> = {
  schema: {
    type: "object",
    propertyNames: NAME,
    additionalProperties: {
      type: "object",
      properties: { ssh: TEXT, socket: TEXT },
      required: ["ssh"],
      additionalProperties: false,
    },
  },
  expects: 'NAME=OPTIONS DEST, or tables [hosts.NAME] with ssh = "OPTIONS DEST" and socket = "…"',
  placeholder: "NAME=OPTIONS DEST",
  read: (texts) => Object.fromEntries(texts.flatMap(hostEntries)),
};

function last(texts: readonly string[]): string | undefined {
  return texts.at(-1);
}

function splitAtCommas(given: string): string[] {
  return given.split(",").map((item) => item.trim()).filter((item) => item !== "");
}

/** An array that JSON doesn't allow, such as one in single quotes. As a pattern, it would match almost any text. */
const MISSPELT_ARRAY = /^\s*\[(?:[\s,]*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'))+[\s,]*\]\s*$/s;

/** Returns the items of a JSON array of strings, which are invalid for a misspelt one; undefined for other text. */
function itemsOf(given: string): unknown[] | undefined {
  const parsed = given.trimStart().startsWith("[") ? parseJson(given) : undefined;
  if (Array.isArray(parsed) && parsed.every((item) => typeof item === "string")) return parsed;
  return MISSPELT_ARRAY.test(given) ? [undefined] : undefined;
}

function hostEntries(given: string): [string, unknown][] {
  const parsed = given.trimStart().startsWith("{") ? parseJson(given) : undefined;
  if (typeof parsed === "object" && parsed !== null) return Object.entries(parsed);
  const at = given.indexOf("=");
  return [[given.slice(0, Math.max(at, 0)), { ssh: given.slice(at + 1).trim() }]];
}
