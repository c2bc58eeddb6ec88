// Wire form of a tool, derived from its declaration once.
import * as z from "zod";
import type { Effect, Tool } from "../tool.ts";
import { type FindRemovedTool, visibleDescription } from "./advice.ts";

/** JSON Schema of an object, as far as this program writes and reads it. */
export interface ObjectSchema {
  type: "object";
  properties: Record<string, PropertySchema>;
  required?: string[];
  additionalProperties?: boolean;
}

export interface PropertySchema {
  type?: string | string[];
  enum?: unknown[];
  anyOf?: PropertySchema[];
  items?: PropertySchema;
  properties?: Record<string, PropertySchema>;
  additionalProperties?: boolean | PropertySchema;
  [key: string]: unknown;
}

export interface Annotations {
  title: string;
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** One entry of `tools/list`. */
export interface WireTool {
  name: string;
  title: string;
  description: string;
  inputSchema: ObjectSchema;
  outputSchema?: ObjectSchema;
  annotations: Annotations;
  _meta?: Record<string, unknown>;
}

const HINTS: Record<Effect, Omit<Annotations, "title">> = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  change: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  destroy: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
};

/** JSON Schemas of a tool for a client that has every tool, as `deno task gen` wrote them. */
export interface ToolSchemas {
  readonly input: ObjectSchema;
  readonly output?: ObjectSchema;
}

/** Description of a tool as a client receives it. */
export interface Description {
  /** Its parameters, with those that every tool takes. */
  input: z.ZodObject;
  /** Descriptions name no tool that the client lacks. */
  removedBy: FindRemovedTool;
  /** Schemas that need not be made, which takes Zod a millisecond each. */
  made?: Partial<ToolSchemas>;
}

/** The wire entry of a tool. */
export function describeTool(tool: Tool, { input, removedBy, made = {} }: Description): WireTool {
  const meta = {
    ...(tool.alwaysLoad ? { "anthropic/alwaysLoad": true } : {}),
    ...(tool.maxResultSizeChars === undefined
      ? {}
      : { "anthropic/maxResultSizeChars": tool.maxResultSizeChars }),
    // The second is how hosts older than the specification of 2026-01-26 find it.
    ...(tool.view === undefined ? {} : { ui: { resourceUri: tool.view }, "ui/resourceUri": tool.view }),
  };
  return {
    name: tool.name,
    title: tool.title,
    description: visibleDescription(tool.description, removedBy),
    inputSchema: made.input ? visible(made.input, removedBy) : inputSchema(input, removedBy),
    ...(tool.output === "text" ? {} : {
      outputSchema: made.output ? visible(made.output, removedBy) : outputSchema(tool.output, removedBy),
    }),
    annotations: { title: tool.title, ...HINTS[tool.announcedEffect ?? tool.effect] },
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
}

/** A schema whose descriptions name no tool that the client lacks. */
function visible<T>(schema: T, removedBy: FindRemovedTool): T {
  if (Array.isArray(schema)) return schema.map((each) => visible(each, removedBy)) as T;
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).flatMap(([key, value]) => {
    if (key !== "description" || typeof value !== "string") return [[key, visible(value, removedBy)]];
    const kept = visibleDescription(value, removedBy);
    return kept === "" ? [] : [[key, kept]];
  });
  return Object.fromEntries(entries);
}

/** Parameters whose names say enough to a model. Their descriptions stand in the reference and in errors only. */
const PLAIN: ReadonlySet<string> = new Set(
  ("socket paneId paneIds windowId sessionId commandId watchId cursor name command startDirectory environment " +
    "background timeout waitSeconds onInput mode verbose pattern restart maxLines maxBytes maxLinesPerPane limit " +
    "view context fold findings lines end format theme matchCase width height duration repeat delayMs input text " +
    "enter noEnter literal clear suppressHistory calls onError").split(" "),
);

/** Schema of a tool's parameters with every description, for the reference and for errors. */
export function parameterSchema(input: z.ZodObject): ObjectSchema {
  return objectSchema(input, "input", () => undefined);
}

function inputSchema(input: z.ZodObject, removedBy: FindRemovedTool): ObjectSchema {
  const schema = objectSchema(input, "input", removedBy);
  for (const [name, property] of Object.entries(schema.properties)) {
    if (PLAIN.has(name)) delete property.description;
    if (isUsual(property)) delete property.default;
  }
  return schema;
}

/** Any answer may have to leave something out, and then says what. */
function outputSchema(output: z.ZodObject, removedBy: FindRemovedTool): ObjectSchema {
  return objectSchema(output.extend({ omitted: z.string().optional() }), "output", removedBy);
}

function objectSchema(schema: z.ZodObject, io: "input" | "output", removedBy: FindRemovedTool): ObjectSchema {
  const json = z.toJSONSchema(schema, {
    io,
    target: "draft-7",
    override: ({ jsonSchema }) => compact(jsonSchema, io, removedBy),
  });
  delete json.$schema;
  return JSON.parse(JSON.stringify(json), (_key, value) => withoutTypeList(value));
}

/** Some clients warn of a list of types, or drop the constraint. */
function withoutTypeList(schema: unknown): unknown {
  const { type, ...rest } = (schema ?? {}) as PropertySchema;
  if (!Array.isArray(type)) return schema;
  return { anyOf: type.map((each) => ({ type: each })), ...rest };
}

/** Keywords that a model need not see: the description says what it needs, and the call checks them. */
const UNSAID = [
  ...["pattern", "minLength", "maxLength", "propertyNames", "minItems", "maxItems"],
  ...["minimum", "maximum", "exclusiveMinimum"],
];

/** Drops these keywords, false as a default, and the description of an array's items where the array has one. */
function compact(schema: Record<string, unknown>, io: "input" | "output", removedBy: FindRemovedTool): void {
  if (typeof schema.description === "string") {
    schema.description = visibleDescription(schema.description, removedBy) || undefined;
  }
  for (const key of UNSAID) delete schema[key];
  // An optional flag is off unless it says that it is on.
  if (schema.default === false) delete schema.default;
  if (isEmpty(schema.additionalProperties)) schema.additionalProperties = true;
  // Unknown arguments are refused with the names of the valid ones, so schemas need not repeat that for models.
  if (io === "input" && typeof schema.additionalProperties === "boolean") delete schema.additionalProperties;
  if (schema.description !== undefined && schema.items !== undefined) {
    schema.items = { ...(schema.items as PropertySchema), description: undefined, pattern: undefined };
  }
}

/** True for a default that goes without saying: 0, nothing, the first of the values. */
function isUsual({ default: value, enum: values }: PropertySchema): boolean {
  return value === 0 || isEmpty(value) || Array.isArray(values) && values[0] === value;
}

function isEmpty(schema: unknown): boolean {
  return typeof schema === "object" && schema !== null && Object.keys(schema).length === 0;
}
