// A server over stdio that also has the tools and prompts that the official conformance suite calls.
import * as z from "zod";
import { AppError } from "../../src/errors.ts";
import { createServer, StdioTransport } from "../../src/mod.ts";
import { prompts } from "../../src/prompts/all.ts";
import type { Prompt } from "../../src/prompts/prompt.ts";
import { defineTool, type Tool, type ToolContext } from "../../src/tool.ts";
import { tools } from "../../src/tools/all.ts";

/** A red picture of one pixel. */
const RED_PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/** Declares a tool that only this server has. */
function fixture<I extends z.ZodRawShape>(
  name: string,
  { input = {} as I, waits, run }: {
    input?: I;
    waits?: true;
    run(args: z.output<z.ZodObject<I>>, context: ToolContext): unknown;
  },
): Tool {
  return defineTool({
    name,
    title: name,
    description: `Fixture ${name}.`,
    scope: "agentic",
    groups: ["read"],
    effect: "read",
    ...(waits && { waits }),
    input: z.strictObject(input),
    output: "text",
    targets: () => [],
    run: run as Tool["run"],
  });
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    reject(signal.reason);
  }, { once: true });
  return promise;
}

const TOOLS: readonly Tool[] = [
  fixture("test_simple_text", { run: () => "This is a simple text response for testing." }),
  fixture("test_image_content", {
    run: () => [{ type: "image", data: RED_PIXEL, mimeType: "image/png" }],
  }),
  fixture("test_error_handling", {
    run: () => {
      throw new AppError("unsupported", "This tool intentionally returns an error for testing");
    },
  }),
  fixture("test_tool_with_progress", {
    run: (_, { progress }) => {
      for (const elapsed of [1, 50, 100]) progress?.({ elapsed, total: 100, message: `${elapsed} of 100` });
      return "Done";
    },
  }),
  fixture("greet", { input: { name: z.string() }, run: ({ name }) => `Hello, ${name}!` }),
  fixture("slow_compute", {
    input: { seconds: z.number().min(0).max(60).default(1), label: z.string().optional() },
    waits: true,
    run: async ({ seconds, label = "" }, { signal, progress }) => {
      progress?.({ elapsed: 0, total: seconds, message: `Computing ${label}` });
      await sleep(seconds * 1000, signal);
      return `Computed ${label}`;
    },
  }),
  fixture("failing_job", {
    waits: true,
    run: async (_, { signal }) => {
      await sleep(1500, signal);
      throw new AppError("unsupported", "This job always fails");
    },
  }),
  fixture("confirm_delete", {
    input: { filename: z.string() },
    waits: true,
    run: async ({ filename }, { askPerson, signal }) =>
      `${filename}: ${await askPerson?.(`Delete ${filename}?`, signal) ?? "unasked"}`,
  }),
  fixture("multi_input", {
    waits: true,
    run: async (_, { askPerson, signal }) => {
      const asked = ["First?", "Second?"].map((question) => askPerson?.(question, signal) ?? "unasked");
      return (await Promise.all(asked)).join(", ");
    },
  }),
];

const PROMPTS: readonly Prompt[] = [{
  name: "test_simple_prompt",
  title: "Simple",
  description: "Fixture without arguments.",
  arguments: [],
  needs: [],
  text: () => "This is a simple prompt for testing.",
}, {
  name: "test_prompt_with_arguments",
  title: "With arguments",
  description: "Fixture with arguments.",
  arguments: ["arg1", "arg2"].map((name) => ({ name, description: name, required: true })),
  needs: [],
  text: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
}];

if (import.meta.main) {
  const [socket] = Deno.args;
  (tools as Tool[]).push(...TOOLS);
  (prompts as Prompt[]).push(...PROMPTS);
  const server = createServer({
    options: { socket: socket!, scope: "all", tasksAfterSeconds: 1 },
    env: Deno.env.toObject(),
  });
  const transport = new StdioTransport();
  await server.connect(transport);
  await transport.ended;
  await server.close();
}
