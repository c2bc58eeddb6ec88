// From the arguments a client sent to the arguments a tool takes: unknown ones refused, stringified ones read.
import type { z } from "zod";
import { badArgument, unknownArgument } from "./argument_errors.ts";
import type { ObjectSchema, PropertySchema } from "./wire.ts";

/** Arguments that clients are known to add to every call. */
const INJECTED: ReadonlySet<string> = new Set(["wait_for_previous"]);

/** Validated arguments; throws `invalid-argument` naming what is wrong and what is valid. */
export function readArguments(
  tool: string,
  sent: Readonly<Record<string, unknown>>,
  { schema, wire }: { schema: z.ZodObject; wire: ObjectSchema },
): Record<string, unknown> {
  const names = Object.keys(wire.properties);
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(sent)) {
    const property = Object.hasOwn(wire.properties, name) ? wire.properties[name] : undefined;
    if (property) read[name] = unstringify(value, property);
    else if (!INJECTED.has(name)) throw unknownArgument(tool, name, names);
  }
  const result = schema.safeParse(read);
  if (result.success) return result.data;
  throw badArgument({ tool, read, issues: result.error.issues, wire });
}

/** `"5"` for a number, `"true"` for a boolean, a JSON string for an object or array; never touches a text parameter. */
function unstringify(value: unknown, property: PropertySchema): unknown {
  if (typeof value !== "string") return value;
  const types = typesOf(property);
  if (types.has("string")) return value;
  const text = value.trim();
  if ((types.has("number") || types.has("integer")) && text !== "" && Number.isFinite(Number(text))) {
    return Number(text);
  }
  if (types.has("boolean") && (text === "true" || text === "false")) return text === "true";
  if (types.has("null") && text === "null") return null;
  if ((types.has("object") && text.startsWith("{")) || (types.has("array") && text.startsWith("["))) {
    return parseJson(text) ?? value;
  }
  return value;
}

function typesOf(property: PropertySchema): Set<string> {
  const types = property.type === undefined ? [] : [property.type].flat();
  return new Set([...types, ...(property.anyOf ?? []).flatMap((branch) => [...typesOf(branch)])]);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
