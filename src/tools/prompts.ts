// Prompts as tools, for clients that support only tools.
import * as z from "zod";
import { defineTool, type Tool } from "../tool.ts";

/** The prompts a client sees. */
export interface PromptSource {
  list(): { name: string; title: string; description: string; arguments: unknown[] }[];
  get(name: string, args?: Readonly<Record<string, string>>): { description: string; messages: unknown[] };
}

const argument = z.strictObject({ name: z.string(), description: z.string(), required: z.boolean() });
const message = z.strictObject({
  role: z.literal("user"),
  content: z.strictObject({ type: z.literal("text"), text: z.string() }),
});

export function promptTools(prompts: () => PromptSource): Tool[] {
  return [listPrompts(prompts), getPrompt(prompts)];
}

function listPrompts(prompts: () => PromptSource): Tool {
  return defineTool({
    name: "list-prompts",
    description: "List the recipes this server has for common tasks. Use get-prompt for the steps of one.",
    scope: "both",
    groups: [],
    effect: "read",
    input: z.strictObject({}),
    output: z.strictObject({
      prompts: z.array(
        z.strictObject({
          name: z.string(),
          title: z.string(),
          description: z.string(),
          arguments: z.array(argument),
        }),
      ),
    }),
    targets: () => [],
    run: () => ({ prompts: prompts().list() as never }),
  });
}

function getPrompt(prompts: () => PromptSource): Tool {
  return defineTool({
    name: "get-prompt",
    description: "Read the steps of a prompt from list-prompts, with the tools and parameters to use.",
    scope: "both",
    groups: [],
    effect: "read",
    input: z.strictObject({
      name: z.string().describe("Prompt name"),
      arguments: z.record(z.string(), z.string()).optional().describe("The prompt's arguments, as text"),
    }),
    output: z.strictObject({ description: z.string(), messages: z.array(message) }),
    targets: () => [],
    run: ({ name, arguments: args }) => prompts().get(name, args) as never,
  });
}
