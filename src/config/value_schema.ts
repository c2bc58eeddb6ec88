// JSON Schema of option values, limited to the keywords that options need, and validation by it. Loading Zod
// would add a fifth to the time until the answer to `initialize`.
import { isPlainObject } from "../json.ts";

export type ValueSchema =
  | { readonly type: "boolean" }
  | {
    readonly type: "string";
    readonly enum?: readonly string[];
    readonly minLength?: number;
    readonly pattern?: string;
    readonly default?: string;
  }
  | {
    readonly type: "integer";
    readonly minimum?: number;
    readonly exclusiveMinimum?: number;
    readonly maximum: number;
  }
  | { readonly type: "array"; readonly items: ValueSchema; readonly default?: readonly unknown[] }
  | ObjectSchema;

interface ObjectSchema {
  readonly type: "object";
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly required?: readonly string[];
  readonly propertyNames?: ValueSchema;
  /** Schema of other properties; false if there may be none. */
  readonly additionalProperties: false | ValueSchema;
}

export type CheckedValue =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly unknownKeys?: readonly string[] };

const WRONG: CheckedValue = { ok: false };

/** Checks a value, and fills in the defaults of missing properties. */
export function checkValue(schema: ValueSchema, value: unknown): CheckedValue {
  switch (schema.type) {
    case "boolean":
      return answer(typeof value === "boolean", value);
    case "string":
      return answer(
        typeof value === "string" && value.length >= (schema.minLength ?? 0) &&
          (schema.enum?.includes(value) ?? true) &&
          (schema.pattern === undefined || new RegExp(schema.pattern, "s").test(value)),
        value,
      );
    case "integer":
      return answer(
        Number.isInteger(value) && Number(value) <= schema.maximum &&
          Number(value) >= (schema.minimum ?? -Infinity) &&
          Number(value) > (schema.exclusiveMinimum ?? -Infinity),
        value,
      );
    case "array":
      return answer(Array.isArray(value) && value.every((item) => checkValue(schema.items, item).ok), value);
    case "object":
      return checkObject(schema, value);
  }
}

function answer(ok: boolean, value: unknown): CheckedValue {
  return ok ? { ok, value } : WRONG;
}

function checkObject(schema: ObjectSchema, value: unknown): CheckedValue {
  const { properties = {}, required = [], propertyNames, additionalProperties: others } = schema;
  if (!isPlainObject(value)) return WRONG;
  const checked: Record<string, unknown> = defaultsOf(properties);
  const unknownKeys: string[] = [];
  for (const [key, given] of Object.entries(value)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : others;
    if (property === undefined || property === false) {
      unknownKeys.push(key);
      continue;
    }
    if (given === undefined && !required.includes(key)) continue;
    if (propertyNames !== undefined && !checkValue(propertyNames, key).ok) return WRONG;
    const result = checkValue(property, given);
    if (!result.ok) return result;
    checked[key] = result.value;
  }
  if (unknownKeys.length > 0) return { ok: false, unknownKeys };
  return required.every((key) => Object.hasOwn(value, key)) ? { ok: true, value: checked } : WRONG;
}

function defaultsOf(properties: Readonly<Record<string, ValueSchema>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([key, schema]) =>
      "default" in schema ? [[key, structuredClone(schema.default)]] : []
    ),
  );
}
