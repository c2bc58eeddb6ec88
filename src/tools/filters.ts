// The `filters` parameter of list tools: `{field__op: value}`; a row must pass all of them.
import * as z from "zod";
import { AppError } from "../errors.ts";
import { didYouMean } from "../nearest.ts";
import { compileRegex } from "../regex.ts";

type Scalar = string | number | boolean;
type FilterValue = Scalar | Scalar[];
type Test = (text: string) => boolean;

/** The `filters` parameter of a list tool, with an example that works on its rows. */
export function filtersLike(example: string): z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodUnknown>> {
  return z.record(z.string(), z.unknown()).describe(`Fields of a row: ${example}`).optional();
}

const has = (text: string, part: string): boolean => text.includes(part);
const starts = (text: string, part: string): boolean => text.startsWith(part);
const ends = (text: string, part: string): boolean => text.endsWith(part);
const same = (text: string, other: string): boolean => text === other;

const OPS: Readonly<Record<string, (value: FilterValue) => Test | Promise<Test>>> = {
  exact: one(same),
  iexact: one(same, lower),
  contains: one(has),
  icontains: one(has, lower),
  startswith: one(starts),
  istartswith: one(starts, lower),
  endswith: one(ends),
  iendswith: one(ends, lower),
  regex: (value) => matches(value, { matchCase: true }),
  iregex: (value) => matches(value, { matchCase: false }),
  in: (value) => isOneOf(value),
  nin: (value) => {
    const test = isOneOf(value);
    return (text) => !test(text);
  },
};

/**
 * Returns the rows that pass every filter; a missing flag counts as false.
 * @throws {AppError} `invalid-argument` naming the valid fields or ops
 */
export async function applyFilters<T extends object>(
  rows: readonly T[],
  filters: Readonly<Record<string, unknown>> | undefined,
  shape: z.ZodObject,
): Promise<T[]> {
  const tests = await Promise.all(
    Object.entries(filters ?? {}).map(([key, value]) => readFilter(key, value, Object.keys(shape.shape))),
  );
  return rows.filter((row) =>
    tests.every(({ field, test }) => test(String((row as Record<string, unknown>)[field] ?? false)))
  );
}

async function readFilter(
  key: string,
  value: unknown,
  fields: readonly string[],
): Promise<{ field: string; test: Test }> {
  const [field = "", op = "exact", ...rest] = key.split("__");
  if (!fields.includes(field)) throw unknown({ kind: "field", given: field, key, valid: fields });
  const make = rest.length === 0 && Object.hasOwn(OPS, op) ? OPS[op] : undefined;
  if (!make) {
    const named = [op, ...rest].join("__");
    throw unknown({ kind: "op", given: named, key, valid: Object.keys(OPS) });
  }
  const listed = op === "in" || op === "nin";
  if (!isScalar(value) && !(listed && Array.isArray(value) && value.every(isScalar))) {
    throw new AppError("invalid-argument", `Filter "${key}" cannot be ${JSON.stringify(value)}`, {
      hint: "Use text, a number or a boolean; in and nin take a list of those",
    });
  }
  return { field, test: await make(value as FilterValue) };
}

function isScalar(value: unknown): value is Scalar {
  return ["string", "number", "boolean"].includes(typeof value);
}

function one(compare: (text: string, value: string) => boolean, fold = (text: string) => text) {
  return (value: FilterValue): Test => {
    const expected = fold(String(value));
    return (text) => compare(fold(text), expected);
  };
}

function lower(text: string): string {
  return text.toLowerCase();
}

function isOneOf(value: FilterValue): Test {
  const values = new Set([value].flat().map(String));
  return (text) => values.has(text);
}

async function matches(value: FilterValue, options: { matchCase: boolean }): Promise<Test> {
  const regex = await compileRegex(String(value), { ...options, byLine: false });
  return (text) => regex.test(text);
}

function unknown({ kind, given, key, valid }: {
  kind: "field" | "op";
  given: string;
  key: string;
  valid: readonly string[];
}): AppError {
  return new AppError("invalid-argument", `Unknown ${kind} "${given}" in filter "${key}"`, {
    hint: `${didYouMean(given, valid)}Valid ${kind}s: ${valid.join(", ")}`,
  });
}
