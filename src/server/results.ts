// How answers and failures look on the wire.
import { AppError } from "../errors.ts";
import { bothEnds } from "../excerpt.ts";
import { type FindRemovedTool, visibleAdvice } from "./advice.ts";
import type { Content, Tool } from "../tool.ts";

export interface CallResult {
  [key: string]: unknown;
  content: Content[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

/** Of a message that repeats what was asked, as much is told: from its beginning, and from its end. */
const TOLD_CHARS = { first: 1500, last: 300 };

/** Encodes what a handler answered; an answer that breaks the tool's own schema is a bug and throws. */
export function success(tool: Tool, answer: unknown): CallResult {
  if (tool.output === "text") {
    return { content: typeof answer === "string" ? [{ type: "text", text: answer }] : answer as Content[] };
  }
  const structuredContent = tool.output.parse(answer) as Record<string, unknown>;
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
}

/**
 * Encodes a failure; anything that is not an `AppError` is a bug here and answers `internal`.
 * @param removedBy Hints name no tool that the client lacks.
 */
export function failure(error: unknown, removedBy: FindRemovedTool): CallResult {
  const known = error instanceof AppError
    ? error
    : new AppError("internal", `Internal error: ${error instanceof Error ? error.message : String(error)}`, {
      hint: "Report this with the server's stderr",
    });
  const { code, retryable } = known;
  const message = bothEnds(known.message, TOLD_CHARS);
  const hint = known.hint === undefined ? undefined : visibleAdvice(known.hint, removedBy);
  return {
    isError: true,
    content: [{ type: "text", text: hint === undefined ? message : `${message}. ${hint}` }],
    _meta: { "tmux-mcp/error": { code, ...(hint === undefined ? {} : { hint }), retryable } },
  };
}
