// JSON Schema as text for tables.
import type { ObjectSchema, PropertySchema } from "../../src/server/wire.ts";

/** `string`, `integer`, `"a" or "b"`, `array of string`, `object`. */
export function typeText(schema: PropertySchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  const options = schema.anyOf ?? schema.oneOf as PropertySchema[] | undefined;
  if (options !== undefined) return [...new Set(options.map(typeText))].join(" or ");
  if (schema.type === "array") return `array of ${itemText(schema.items as PropertySchema | undefined)}`;
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  return schema.type ?? "any";
}

function itemText(items: PropertySchema | undefined): string {
  if (items?.type !== "object" || items.properties === undefined) return typeText(items ?? {});
  return `{ ${fieldNames(items as unknown as ObjectSchema).join(", ")} }`;
}

/** `windowId`, and `isCaller?` for a field that can be absent. */
export function fieldNames(schema: ObjectSchema): string[] {
  const required = new Set(schema.required);
  return Object.keys(schema.properties).map((name) => required.has(name) ? name : `${name}?`);
}

/** A cell of a Markdown table, with pipes escaped and without line breaks. */
export function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/\s*\n\s*/g, " ");
}

/** A Markdown table; empty without rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  return [head, head.map(() => "---"), ...rows.map((row) => row.map(cell))]
    .map((row) => `| ${row.join(" | ")} |`).join("\n");
}
