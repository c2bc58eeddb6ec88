// Kinds of values in JSON.

/** True for an object; an array or null is not one. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
