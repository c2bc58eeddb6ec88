// Errors for bad arguments: the value, what is valid, and what to do next.
import * as z from "zod";
import { AppError } from "../errors.ts";
import { excerpt } from "../excerpt.ts";
import { didYouMean } from "../nearest.ts";
import { parameterSchema, type PropertySchema } from "./wire.ts";

export interface BadArguments {
  readonly tool: string;
  readonly read: Readonly<Record<string, unknown>>;
  readonly issues: readonly z.core.$ZodIssue[];
  readonly schema: z.ZodObject;
}

const SHOWN_CHARS = 120;

/** Tools that list what an argument can name. */
const LISTED_BY: readonly [RegExp, string][] = [
  [/paneIds?$/i, "list-panes"],
  [/windowId$/i, "list-windows"],
  [/sessionId$/i, "list-sessions"],
  [/^clientTty$/, "list-clients"],
];

export function unknownArgument(tool: string, name: string, names: readonly string[]): AppError {
  return new AppError("invalid-argument", `Unknown argument ${shown(name)} for ${tool}`, {
    hint: `${didYouMean(name, names)}Valid arguments: ${names.join(", ")}`,
  });
}

export function badArgument({ tool, read, issues, schema }: BadArguments): AppError {
  const issue = issues[0]!;
  const name = String(issue.path[0] ?? "");
  if (name !== "" && !(name in read)) {
    return new AppError("invalid-argument", `Missing argument "${name}" for ${tool}`, {
      hint: hintFor(name, schema, "missing"),
    });
  }
  if (issue.code === "unrecognized_keys") return unknownKey(issue, { tool, schema });
  const path = spellPath(issue.path);
  const value = issue.path.reduce<unknown>((at, key) => (at as never)?.[key], read);
  if (value === undefined) return missingKey(issue.path, { tool, schema });
  const what = `Invalid ${path} ${shown(value)}: expected ${wanted(issue)}`;
  return new AppError("invalid-argument", what, { hint: hintFor(name, schema, "invalid") });
}

/** An argument's part as a program would name it: `calls[0].tool`. */
function spellPath(path: readonly PropertyKey[]): string {
  return path.map((key, at) => typeof key === "number" ? `[${key}]` : `${at > 0 ? "." : ""}${String(key)}`)
    .join("");
}

type Declared = Pick<BadArguments, "tool" | "schema">;

function missingKey(path: readonly PropertyKey[], { tool, schema }: Declared): AppError {
  const within = path.slice(0, -1);
  const what = `Missing key ${shown(path.at(-1))} in ${spellPath(within)} for ${tool}`;
  return new AppError("invalid-argument", what, { hint: `Valid keys: ${keysAt(within, schema).join(", ")}` });
}

function unknownKey({ path, keys }: z.core.$ZodIssueUnrecognizedKeys, { tool, schema }: Declared): AppError {
  const names = keysAt(path, schema);
  const [name = ""] = keys;
  return new AppError("invalid-argument", `Unknown key ${shown(name)} in ${spellPath(path)} for ${tool}`, {
    hint: `${didYouMean(name, names)}Valid keys: ${names.join(", ")}`,
  });
}

/** Keys of the object at a place in the arguments. */
function keysAt(path: readonly PropertyKey[], schema: z.ZodObject): string[] {
  const place = path.reduce<Partial<PropertySchema> | undefined>(
    (at, key) => typeof key === "number" ? at?.items : at?.properties?.[String(key)],
    { properties: parameterSchema(schema).properties },
  );
  return Object.keys(place?.properties ?? {});
}

function shown(value: unknown): string {
  return excerpt(typeof value === "number" ? String(value) : JSON.stringify(value), SHOWN_CHARS);
}

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

/** Text after "expected": the declaration's own message if it has one. */
function wanted(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return TYPES[issue.expected] ?? issue.expected;
    case "invalid_value":
      return `one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return ownWords(issue) ?? least(issue);
    case "too_big":
      return ownWords(issue) ?? `at most ${issue.maximum}${unitOf(issue.origin)}`;
    case "invalid_key":
      return wanted(issue.issues[0]!);
    case "invalid_union":
      return alternatives(issue.errors);
    default:
      return ownWords(issue) ?? issue.message;
  }
}

const OWN_WORDS = /^expected /;

function ownWords({ message }: z.core.$ZodIssue): string | undefined {
  return OWN_WORDS.test(message) ? message.replace(OWN_WORDS, "") : undefined;
}

function least({ origin, minimum, inclusive }: z.core.$ZodIssueTooSmall): string {
  if (minimum === 1 && (origin === "string" || origin === "array")) {
    return origin === "string" ? "text that is not empty" : "a list that is not empty";
  }
  if (inclusive === false) return `more than ${minimum}`;
  return `at least ${minimum}${unitOf(origin)}`;
}

function unitOf(origin: string): string {
  return { string: " characters", array: " items" }[origin] ?? "";
}

/** Expectations of all branches, without repeats. */
function alternatives(branches: readonly (readonly z.core.$ZodIssue[])[]): string {
  const wants = branches.flatMap(([first]) => first === undefined ? [] : [wanted(first)]);
  return [...new Set(wants)].join(", or ");
}

/** The text with a lowercase first letter, unless it begins with a name such as TCP or RE2. */
function uncapitalized(text: string): string {
  return text.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
}

function hintFor(name: string, schema: z.ZodObject, problem: "missing" | "invalid"): string {
  const lister = LISTED_BY.find(([pattern]) => pattern.test(name))?.[1];
  if (lister !== undefined) return `Call ${lister} for valid ones`;
  const property = parameterSchema(z.object({ [name]: schema.shape[name] ?? z.unknown() })).properties[name];
  if (problem === "missing" && property?.enum !== undefined) return `Valid: ${property.enum.join(", ")}`;
  const usual = property?.default === undefined ? "" : ` (default ${JSON.stringify(property.default)})`;
  return `Give ${name}: ${uncapitalized(String(property?.description ?? "required"))}${usual}`;
}
