// Encodes answers and failures for the wire.
import type * as z from "zod";
import { AppError, lacksDescriptor, messageOf, noDescriptor } from "../errors.ts";
import { bothEnds } from "../excerpt.ts";
import { type FindRemovedTool, visibleAdvice, visibleDescription } from "./advice.ts";
import type { Content, TextPart, Tool, ToolOutcome } from "../tool.ts";
import { type AnswerLimit, isBlocks } from "./answer_limit.ts";
import type { ServedClient } from "./served_client.ts";

export interface CallResult {
  [key: string]: unknown;
  content: Content[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

/** Characters kept from the beginning and the end of a message that repeats an argument. */
const MESSAGE_CHARS = { first: 1500, last: 300 };

/** The client's limits, its spelling of tool names, and the tools it lacks. */
export interface ResultServices {
  limit: AnswerLimit;
  client: Pick<ServedClient, "spell">;
  registry: { removedBy: FindRemovedTool };
}

const ERROR_KEY = "tmux-mcp/error";
/** Next step after a long answer of a tool that names none: its own arguments can't ask for less. */
const NO_CALL = "No call returns the rest.";
/** The same call would make the change again. */
const ALREADY_DONE = "The call did what it was asked to do: do not repeat it.";

/** `_meta` key under which an answer without fields says what was left out. */
export const OMITTED = "tmux-mcp/omitted";

/**
 * Encodes a handler's answer within the limit. An answer that violates the tool's own schema is a bug and throws.
 * @throws {AppError} for a picture that is larger than an answer may be
 */
export function success(tool: Tool, answer: unknown, services: ResultServices): CallResult {
  const { limit } = services;
  if (tool.output === "text") {
    return isBlocks(answer) ? blocks(tool, answer, limit) : text(tool, answer as string | TextPart, services);
  }
  const parsed = tool.output.parse(answer) as Record<string, unknown>;
  const { value, omitted, fields } = limit.structured(
    withVisibleHint(parsed, services),
    // A field that the tool also takes is where the next call continues.
    new Set(Object.keys(tool.input.shape)),
  );
  const structuredContent = omitted === undefined
    ? value
    : { ...value, ...flagsOf(tool.output, fields!), omitted: noteOf(tool, omitted, services) };
  return { content: limit.textBeside(structuredContent), structuredContent };
}

/** The answer with its hint as the client spells tools, and without those that it lacks. */
function withVisibleHint(
  { hint, ...answer }: Record<string, unknown>,
  { client, registry }: ResultServices,
): Record<string, unknown> {
  if (typeof hint !== "string") return answer;
  const visible = visibleDescription(hint, (name) => registry.removedBy(name));
  return visible === "" ? answer : { hint: client.spell(visible), ...answer };
}

/** Adds as many pictures to a structured answer as fit. */
export function withPictures(
  result: CallResult,
  pictures: readonly Content[],
  { limit }: Pick<ResultServices, "limit">,
): CallResult {
  if (pictures.length === 0) return result;
  const kept = limit.fittingPictures(result, pictures);
  const missing = pictures.length - kept.length;
  const omitted = [result.structuredContent?.omitted, `Left out: ${missing} of ${pictures.length} pictures`];
  return {
    ...result,
    content: [...result.content, ...kept],
    ...(missing > 0 && {
      structuredContent: { ...result.structuredContent, omitted: omitted.filter(Boolean).join(". ") },
    }),
  };
}

/** The flags in a tool's own schema that mark an incomplete answer. */
function flagsOf({ shape }: z.ZodObject, fields: ReadonlySet<string>): Record<string, true> {
  const names = ["truncated", ...[...fields].map((field) => `${field}Truncated`)];
  return Object.fromEntries(names.filter((name) => name in shape).map((name) => [name, true]));
}

/** Encodes text. The note on omitted parts is a separate block, because the text itself comes from a program. */
function text(tool: Tool, answer: string | TextPart, services: ResultServices): CallResult {
  const part: TextPart = typeof answer === "string" ? { text: answer } : answer;
  const { value, omitted } = services.limit.text(part.text);
  const known = part.omitted && services.client.spell(part.omitted);
  const note = omitted === undefined ? known : noteOf(tool, omitted, services);
  const content: Content[] = [{ type: "text", text: value }];
  if (note === undefined) return { content };
  return { content: [...content, { type: "text", text: `[${note}]` }], _meta: { [OMITTED]: note } };
}

function blocks(tool: Tool, content: Content[], limit: AnswerLimit): CallResult {
  const bytes = limit.exceededBy(content);
  if (bytes === undefined) return { content };
  const reason = `it takes more than ${bytes} bytes`;
  throw new AppError("unsupported", `Cannot send the answer of ${tool.name}: ${reason}`, {
    hint: nextStep(tool),
  });
}

/** Note that says what was left out and how to read it. */
export function advise(omitted: string, readsOn: string): string {
  return `${omitted}. ${readsOn}`;
}

/** The same, for a tool's answer: it names only tools that the client has. */
function noteOf(tool: Tool, omitted: string, { client, registry }: ResultServices): string {
  const advice = visibleDescription(nextStep(tool), (name) => registry.removedBy(name));
  return client.spell(advise(omitted, advice === "" ? NO_CALL : advice));
}

function nextStep({ readsOn, effect }: Tool): string {
  return readsOn ?? (effect === "read" ? NO_CALL : ALREADY_DONE);
}

/** Shortens a message, which may repeat an argument of any length. */
export function shortMessage(message: string): string {
  return bothEnds(message, MESSAGE_CHARS);
}

/**
 * Encodes a failure. Anything other than an `AppError` is a bug in this program, reported as `internal`.
 * Its hint names only tools that the client has.
 */
export function failure(
  error: unknown,
  { client, registry, showsContents }: Omit<ResultServices, "limit"> & { showsContents: boolean },
): CallResult {
  const known = asAppError(error);
  const { code, retryable, quote = "" } = known;
  const message = shortMessage(client.spell(showsContents ? known.message + quote : known.message));
  const hint = known.hint === undefined
    ? undefined
    : shortMessage(client.spell(visibleAdvice(known.hint, (name) => registry.removedBy(name))));
  return {
    isError: true,
    content: [{ type: "text", text: hint === undefined ? message : `${message}. ${hint}` }],
    _meta: { [ERROR_KEY]: { code, ...(hint === undefined ? {} : { hint }), retryable } },
  };
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (lacksDescriptor(error)) return noDescriptor("Cannot make this call", error);
  return new AppError("internal", `Internal error: ${messageOf(error)}`, {
    hint: "Report this with the server's stderr",
  });
}

/** Outcome of a nested call, for the tool that made it. */
export function outcomeOf({ isError, content, structuredContent, _meta }: CallResult): ToolOutcome {
  if (isError) {
    const error = _meta?.[ERROR_KEY] as { code: string; hint?: string; retryable: boolean };
    const text = content.map((part) => part.type === "text" ? part.text : "").join("");
    const message = error.hint === undefined ? text : text.slice(0, -`. ${error.hint}`.length);
    return { ok: false, error: { ...error, message } };
  }
  const pictures = content.filter(({ type }) => type === "image");
  const texts = content.filter((part) => part.type === "text");
  const omitted = _meta?.[OMITTED] as string | undefined;
  // The last text of an incomplete one is the note on what it lacks.
  const own = omitted === undefined ? texts : texts.slice(0, -1);
  const result = structuredContent ?? (own.length === 1 ? own[0]!.text : { content: own });
  return { ok: true, result, ...(omitted && { omitted }), ...(pictures.length > 0 && { pictures }) };
}
