// Holds the tools: which exist, which this client sees, and how each looks on the wire.
import * as z from "zod";
import type { Tool } from "../tool.ts";
import { describeTool, type ToolSchemas, type WireTool } from "./wire.ts";

/** A declared tool with what is derived from it. */
export interface RegisteredTool {
  tool: Tool;
  /** Why this client may not call it; absent when it may. */
  removedBy?: string;
  /** Input schema with the parameters that every tool takes. */
  readonly input: z.ZodObject;
  readonly wire: WireTool;
}

export interface RegistryOptions {
  /** Names of configured hosts; tools take `host` only where there are any. */
  hosts: readonly string[];
  /** The setting that takes a tool away from this client, or `undefined` where it is visible. */
  removedBy(tool: Tool): string | undefined;
  /** Default of every `timeout` that has the usual one; the usual one if left out. */
  waitSeconds?(): number;
  /** Only tools and parameters that change nothing are shown. */
  readOnly?: boolean;
  /** Schemas by tool; those that are not here are made when needed. */
  schemas?: Readonly<Record<string, ToolSchemas>>;
}

export class Registry {
  readonly #tools: Map<string, RegisteredTool>;

  constructor(tools: readonly Tool[], options: RegistryOptions) {
    const common = commonParameters(options.hosts);
    const shown = options.readOnly ? tools.map(readOnlyTool) : tools;
    this.#tools = new Map(
      shown.map((tool) => [tool.name, this.#register(tool, common, options)]),
    );
    if (this.#tools.size !== tools.length) throw new Error("Two tools have the same name");
  }

  find(name: string): RegisteredTool | undefined {
    return this.#tools.get(name);
  }

  /** The setting that takes this tool away from the client; undefined for a visible tool, and where there is none. */
  removedBy(name: string): string | undefined {
    return this.#tools.get(name)?.removedBy;
  }

  /** The tools this client sees, in the order they are declared. */
  visible(): RegisteredTool[] {
    return [...this.#tools.values()].filter((entry) => entry.removedBy === undefined);
  }

  #register(tool: Tool, common: z.ZodRawShape, options: RegistryOptions): RegisteredTool {
    const removedBy = options.removedBy(tool);
    const describe = (input: z.ZodObject): WireTool =>
      describeTool(tool, {
        input,
        removedBy: (name) => this.removedBy(name),
        made: schemasOf(tool, options, seconds),
      });
    let input: z.ZodObject | undefined;
    let wire: WireTool | undefined;
    let seconds: number | undefined;
    const entry = {
      tool,
      get input(): z.ZodObject {
        const now = options.waitSeconds?.();
        if (now !== seconds) input = wire = undefined;
        seconds = now;
        return input ??= withDefaultWait((tool.input as z.ZodObject).extend(common), seconds);
      },
      get wire(): WireTool {
        const { input } = entry;
        return wire ??= describe(input);
      },
    };
    return removedBy === undefined ? entry : Object.assign(entry, { removedBy });
  }
}

/** The usual default of a `timeout`, which most clients wait for. */
const USUAL_SECONDS = 50;

function withDefaultWait(input: z.ZodObject, seconds = USUAL_SECONDS): z.ZodObject {
  const { timeout } = input.shape;
  if (seconds === USUAL_SECONDS || !(timeout instanceof z.ZodDefault)) return input;
  if (timeout.def.defaultValue !== USUAL_SECONDS) return input;
  const other = (timeout.removeDefault() as z.ZodNumber).default(seconds);
  return input.extend({ timeout: other.describe(timeout.description ?? "") });
}

/** The schemas that were made for a tool, as far as they hold for this client. */
function schemasOf(tool: Tool, options: RegistryOptions, seconds = USUAL_SECONDS): Partial<ToolSchemas> {
  const made = options.schemas?.[tool.name];
  if (made === undefined) return {};
  const differs = options.hosts.length > 0 || options.readOnly === true && tool.readOnlyInput !== undefined;
  const { input: _, ...output } = made;
  return differs ? output : { ...made, input: withDefault(made.input, seconds) };
}

function withDefault(input: ToolSchemas["input"], seconds: number): ToolSchemas["input"] {
  const { timeout } = input.properties;
  if (timeout?.default !== USUAL_SECONDS) return input;
  return { ...input, properties: { ...input.properties, timeout: { ...timeout, default: seconds } } };
}

function commonParameters(hosts: readonly string[]): z.ZodRawShape {
  return {
    socket: z.string().regex(/^[^\0]+$/, "expected a path or a name").optional().describe(
      "tmux server: the path of its socket (`-S`) or its name (`-L`)",
    ),
    ...(hosts.length === 0
      ? {}
      : { host: z.enum(hosts as [string, ...string[]]).optional().describe("Machine; none is this one") }),
  };
}

function readOnlyTool(tool: Tool): Tool {
  const { announcedEffect: _, ...rest } = tool;
  return { ...rest, input: tool.readOnlyInput ?? tool.input };
}
