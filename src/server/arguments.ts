// Reads the arguments of a call: refuses unknown ones, and corrects obvious slips.
import type * as z from "zod";
import { parseJson } from "../json.ts";
import { badArgument, unknownArgument } from "./argument_errors.ts";
import { checkDepth, checkSizes } from "./argument_sizes.ts";
import type { ObjectSchema, PropertySchema } from "./wire.ts";

/** Arguments that clients are known to add to every call. */
const INJECTED: ReadonlySet<string> = new Set(["wait_for_previous"]);

/**
 * Returns the validated arguments.
 * @throws {AppError} `invalid-argument` naming what is wrong and what is valid
 */
export function readArguments(
  tool: string,
  sent: Readonly<Record<string, unknown>>,
  { schema, wire }: { schema: z.ZodObject; wire: ObjectSchema },
): Record<string, unknown> {
  checkSizes(sent);
  const names = Object.keys(wire.properties);
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(sent)) {
    const property = Object.hasOwn(wire.properties, name) ? wire.properties[name] : undefined;
    if (property) {
      const meant = asMeant(value, property);
      if (meant !== undefined) read[name] = meant;
    } else if (!INJECTED.has(name)) throw unknownArgument(tool, name, names);
  }
  const result = schema.safeParse(read);
  if (result.success) return result.data;
  throw badArgument({ tool, read, issues: result.error.issues, schema });
}

/**
 * Converts slips: `"5"` for a number, 5 for text, `"true"` for a boolean, a JSON string for an object or array, one
 * text for a list; undefined for a null that means nothing. Text stays unchanged if the parameter takes text.
 */
function asMeant(value: unknown, property: PropertySchema): unknown {
  const types = typesOf(property);
  if (value === null) return types.has("null") ? null : undefined;
  if (typeof value === "string") return types.has("string") ? value : unstringify(value, types, property);
  if (typeof value === "number" || typeof value === "boolean") {
    return types.has("string") && !types.has("integer") ? String(value) : value;
  }
  return partsAsMeant(value, property);
}

function unstringify(value: string, types: ReadonlySet<string>, property: PropertySchema): unknown {
  const text = value.trim();
  if ((types.has("number") || types.has("integer")) && text !== "" && Number.isFinite(Number(text))) {
    return Number(text);
  }
  if (types.has("boolean") && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
  if (text === "null") return types.has("null") ? null : undefined;
  const opens = { object: "{", array: "[" };
  for (const type of ["object", "array"] as const) {
    if (!types.has(type)) continue;
    const parsed = text.startsWith(opens[type]) ? parseJson(text) : undefined;
    if (parsed === undefined) continue;
    checkDepth(parsed);
    return partsAsMeant(parsed, property);
  }
  return types.has("array") ? [value] : value;
}

/** Converts the parts of a list or object; a null in them means a missing argument only under a name of the schema. */
function partsAsMeant(
  value: unknown,
  { items: own, anyOf = [], properties, additionalProperties }: PropertySchema,
): unknown {
  const items = own ?? anyOf.find((branch) => branch.items)?.items;
  if (Array.isArray(value)) return items ? value.map((each) => asMeant(each, items) ?? each) : value;
  if (typeof value !== "object" || value === null) return value;
  const schemas = new Map(Object.entries(properties ?? {}));
  const rest = typeof additionalProperties === "object" ? additionalProperties : {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      const meant = asMeant(each, schemas.get(key) ?? rest);
      return meant === undefined && schemas.has(key) ? [] : [[key, meant ?? each]];
    }),
  );
}

function typesOf(property: PropertySchema): Set<string> {
  const types = property.type === undefined ? [] : [property.type].flat();
  return new Set([...types, ...(property.anyOf ?? []).flatMap((branch) => [...typesOf(branch)])]);
}
