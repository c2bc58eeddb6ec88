// Prompts: lists those that this client sees, and fills them in.
import { AppError } from "../errors.ts";
import { idKind } from "../ids.ts";
import { didYouMean } from "../nearest.ts";
import type { Prompt, PromptArgument, VisibleTools } from "../prompts/prompt.ts";
import type { AnswerLimit } from "./answer_limit.ts";
import type { Gate } from "./gate.ts";
import { shortMessage } from "./results.ts";
import type { RequestHandlers } from "./requests.ts";
import { ErrorCode, McpError } from "./sdk.ts";

/** One entry of `prompts/list`. */
export interface WirePrompt extends Pick<Prompt, "name" | "title" | "description"> {
  arguments: PromptArgument[];
}

export interface PromptAnswer {
  description: string;
  messages: { role: "user"; content: { type: "text"; text: string } }[];
}

export class Prompts {
  readonly #prompts: readonly Prompt[];
  readonly #tools: VisibleTools;
  readonly #spell: (text: string) => string;

  /** @param spell Spells tool names in a text as the client shows them */
  constructor(prompts: readonly Prompt[], tools: VisibleTools, spell: (text: string) => string) {
    this.#prompts = prompts.filter(({ needs }) =>
      needs.every((some) => some.some((name) => tools.has(name)))
    );
    this.#tools = tools;
    this.#spell = spell;
  }

  list(): WirePrompt[] {
    return this.#prompts.map(({ name, title, description, arguments: args }) => ({
      name,
      title,
      description,
      arguments: [...args],
    }));
  }

  /** @throws {AppError} `invalid-argument` */
  get(name: string, args: Readonly<Record<string, string>> = {}): PromptAnswer {
    const prompt = this.find(name);
    const names = prompt.arguments.map((each) => each.name);
    const unknown = Object.keys(args).find((each) => !names.includes(each));
    if (unknown !== undefined) {
      throw invalid(`Unknown argument "${unknown}" for prompt ${name}`, names, unknown);
    }
    const missing = prompt.arguments.find((each) => each.required && !args[each.name]);
    if (missing) throw invalid(`Missing argument "${missing.name}" for prompt ${name}`, names);
    const { paneId = "" } = args;
    if (paneId !== "" && idKind(paneId) !== "pane") throw noPane(paneId, name);
    const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== ""));
    const text = outsideQuotes(prompt.text(given, this.#tools), this.#spell);
    return { description: prompt.description, messages: [{ role: "user", content: { type: "text", text } }] };
  }

  /** Names of a prompt's arguments; `undefined` if the prompt doesn't exist. */
  argumentsOf(name: string): string[] | undefined {
    return this.#prompts.find((each) => each.name === name)?.arguments.map((each) => each.name);
  }

  /** @throws {AppError} `invalid-argument` */
  find(name: string): Prompt {
    const prompt = this.#prompts.find((each) => each.name === name);
    if (prompt) return prompt;
    throw invalid(`Unknown prompt "${name}"`, this.#prompts.map((each) => each.name), name);
  }
}

/** Changes a text, but not what is quoted in it: arguments arrive as they are. */
function outsideQuotes(text: string, change: (part: string) => string): string {
  let isQuoted = false;
  return text.replaceAll(/\\.|"|[^"\\]+/gs, (part) => {
    if (part === '"') isQuoted = !isQuoted;
    return isQuoted ? part : change(part);
  });
}

function tooLong({ bytes }: AnswerLimit): AppError {
  return new AppError("invalid-argument", `Cannot send the prompt: it takes more than ${bytes} bytes`, {
    hint: "Give shorter arguments",
  });
}

function noPane(paneId: string, prompt: string): AppError {
  return new AppError("invalid-argument", `Invalid paneId "${paneId}" for prompt ${prompt}`, {
    hint: "Give a pane id such as %5: call list-panes for valid ones",
  });
}

function invalid(message: string, valid: readonly string[], given = ""): AppError {
  return new AppError("invalid-argument", message, {
    hint: `${didYouMean(given, valid)}Valid: ${valid.join(", ")}`,
  });
}

export function servePrompts(
  requests: RequestHandlers,
  prompts: Prompts,
  { gate, limit, advice }: {
    gate: Pick<Gate, "recordAsked">;
    limit: AnswerLimit;
    /** Returns a hint as this client sees it. */
    advice(hint: string): string;
  },
): void {
  requests.handle("prompts/list", () => ({ prompts: prompts.list() }));
  requests.handle("prompts/get", async ({ name, arguments: args }) => {
    const asked = { tool: "prompts/get", args: { name, arguments: args } };
    const startedAt = performance.now();
    try {
      const answer = prompts.get(name, args);
      if (!limit.takes(answer)) throw tooLong(limit);
      await gate.recordAsked(asked, { outcome: "ok", startedAt });
      return { ...answer };
    } catch (error) {
      await gate.recordAsked(asked, { outcome: error, startedAt });
      if (!(error instanceof AppError)) throw error;
      const hint = error.hint === undefined ? "" : advice(error.hint);
      throw new McpError(ErrorCode.InvalidParams, `${shortMessage(error.message)}. ${shortMessage(hint)}`);
    }
  });
}
