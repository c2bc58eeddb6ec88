// Registry of the tools: all that exist, those that this client sees, and their form on the wire.
import * as z from "zod";
import type { Tool } from "../tool.ts";
import { describeTool, type ToolSchemas, type WireTool } from "./wire.ts";

/** A declared tool with everything derived from it. */
export interface RegisteredTool {
  tool: Tool;
  /** Setting that keeps this client from calling the tool; absent if it may. */
  removedBy?: string;
  /** Input schema, including the parameters that every tool takes. */
  readonly input: z.ZodObject;
  readonly wire: WireTool;
}

/** Defaults of parameters that depend on the client's limits. */
export interface ClientDefaults {
  /** Default of every `timeout` whose declared default is the usual one. */
  timeout: number;
  /** Upper limit of the default of `maxBytes`. */
  maxBytes: number;
}

export interface RegistryOptions {
  /** Names of configured hosts; tools take `host` only if there are any. */
  hosts: readonly string[];
  /** Returns the setting that removes a tool for this client; `undefined` if the tool is visible. */
  removedBy(tool: Tool): string | undefined;
  /** Defaults that depend on the client; absent: the declared ones. */
  defaults?(): ClientDefaults;
  /** True if only tools and parameters that change nothing are shown. */
  readOnly?: boolean;
  /** Generated schemas by tool; missing ones are created when needed. */
  schemas?: Readonly<Record<string, ToolSchemas>>;
}

export class Registry {
  readonly #tools: Map<string, RegisteredTool>;

  constructor(tools: readonly Tool[], options: RegistryOptions) {
    const common = commonParameters(options.hosts);
    const shown = options.readOnly ? tools.map(readOnlyTool) : tools;
    this.#tools = new Map(shown.map((tool) => [tool.name, this.#register(tool, common, options)]));
    if (this.#tools.size !== tools.length) throw new Error("Two tools have the same name");
  }

  find(name: string): RegisteredTool | undefined {
    return this.#tools.get(name);
  }

  /** Returns the setting that removes this tool for the client; undefined for a visible tool or an unknown name. */
  removedBy(name: string): string | undefined {
    return this.#tools.get(name)?.removedBy;
  }

  /** The tools that this client sees, in declaration order. */
  visible(): RegisteredTool[] {
    return [...this.#tools.values()].filter((entry) => entry.removedBy === undefined);
  }

  #register(tool: Tool, common: z.ZodRawShape, options: RegistryOptions): RegisteredTool {
    const removedBy = options.removedBy(tool);
    const removedByName = (name: string): string | undefined => this.removedBy(name);
    let input: z.ZodObject | undefined;
    let wire: WireTool | undefined;
    let defaults = USUAL;
    const readDefaults = (): void => {
      const now = options.defaults?.() ?? USUAL;
      if (now.timeout !== defaults.timeout || now.maxBytes !== defaults.maxBytes) input = wire = undefined;
      defaults = now;
    };
    const entry = {
      tool,
      get input(): z.ZodObject {
        readDefaults();
        return input ??= withDefaults((tool.input as z.ZodObject).extend(common), defaults);
      },
      get wire(): WireTool {
        readDefaults();
        return wire ??= describeTool(tool, {
          input: () => entry.input,
          removedBy: removedByName,
          made: schemasOf(tool, options, defaults),
        });
      },
    };
    return removedBy === undefined ? entry : Object.assign(entry, { removedBy });
  }
}

/** Defaults for most clients, which wait 60 s for a call and take an answer of any size (`timeout` in s). */
const USUAL: ClientDefaults = { timeout: 50, maxBytes: Infinity };

function defaultFor(name: string, declared: unknown, { timeout, maxBytes }: ClientDefaults): unknown {
  if (name === "timeout" && typeof declared === "number") {
    return declared === USUAL.timeout ? timeout : Math.min(declared, timeout);
  }
  return name === "maxBytes" && typeof declared === "number" ? Math.min(declared, maxBytes) : declared;
}

function withDefaults(input: z.ZodObject, defaults: ClientDefaults): z.ZodObject {
  const changed = Object.entries(input.shape).flatMap(([name, field]) => {
    if (!(field instanceof z.ZodDefault)) return [];
    const { defaultValue } = field.def;
    const value = defaultFor(name, defaultValue, defaults);
    if (value === defaultValue) return [];
    const other = (field.removeDefault() as z.ZodNumber).default(value as number);
    return [[name, other.describe(field.description ?? "")]];
  });
  return changed.length === 0 ? input : input.extend(Object.fromEntries(changed));
}

/** The generated schemas of a tool that are valid for this client. */
function schemasOf(tool: Tool, options: RegistryOptions, defaults: ClientDefaults): Partial<ToolSchemas> {
  const made = options.schemas?.[tool.name];
  if (made === undefined) return {};
  const differs = options.hosts.length > 0 || options.readOnly === true && tool.readOnlyInput !== undefined;
  const { input: _, ...output } = made;
  return differs ? output : { ...made, input: withSchemaDefaults(made.input, defaults) };
}

function withSchemaDefaults(input: ToolSchemas["input"], defaults: ClientDefaults): ToolSchemas["input"] {
  const changed = Object.entries(input.properties).flatMap(([name, property]) => {
    const value = defaultFor(name, property.default, defaults);
    return value === property.default ? [] : [[name, { ...property, default: value }]];
  });
  if (changed.length === 0) return input;
  return { ...input, properties: { ...input.properties, ...Object.fromEntries(changed) } };
}

function commonParameters(hosts: readonly string[]): z.ZodRawShape {
  return {
    socket: z.string().regex(/^[^\0]+$/, "expected a path or a name").optional().describe(
      "tmux server: the path of its socket (`-S`) or its name (`-L`)",
    ),
    ...(hosts.length === 0
      ? {}
      : { host: z.enum(hosts as [string, ...string[]]).optional().describe("Machine; omitted: this one") }),
  };
}

function readOnlyTool(tool: Tool): Tool {
  const { announcedEffect: _, ...rest } = tool;
  return { ...rest, input: tool.readOnlyInput ?? tool.input };
}
