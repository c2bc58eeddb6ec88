// Parameters that choose which part of a command's output is shown.
import * as z from "zod";
import type { OutputQuery } from "../commands/output.ts";
import { compileRegex } from "../regex.ts";

const MAX_CONTEXT = 1000;

export const outputParameters = {
  view: z.enum(["auto", "head", "tail", "full"]).default("auto").describe(
    "auto: all of it, or head and end if it is too long",
  ),
  grep: z.string().min(1).optional().describe("Only matching lines (RE2)"),
  context: z.int().min(0).optional().describe("Lines around each match of grep"),
  fold: z.boolean().optional().describe("Fold repeated and counting lines; default: with view auto"),
  findings: z.boolean().optional().describe(
    "List the errors that tools reported; default: if the command failed",
  ),
};

export type OutputArguments = z.output<z.ZodObject<typeof outputParameters>> & {
  offset?: number | undefined;
  maxLines: number;
  maxBytes: number;
};

/**
 * The requested part of the output, and its limits.
 * @throws {AppError} `invalid-argument` for a pattern that RE2 can't take
 */
export async function outputQuery(
  { view, grep, context = 0, fold, findings, offset, maxLines, maxBytes }: OutputArguments,
  signal: AbortSignal,
): Promise<{ query: OutputQuery; maxLines: number; maxBytes: number }> {
  const isAuto = view === "auto" && offset === undefined;
  const folding = fold === true ? "always" : fold === undefined && isAuto ? "worthwhile" : undefined;
  return {
    query: {
      part: isAuto ? "ends" : view === "tail" ? "tail" : "head",
      from: offset ?? 0,
      ...(findings !== undefined && { findings }),
      ...(folding && { fold: folding }),
      ...(grep !== undefined &&
        { grep: { pattern: await compileRegex(grep), context: Math.min(context, MAX_CONTEXT), signal } }),
    },
    ...(view === "full" ? { maxLines: Infinity, maxBytes: Infinity } : { maxLines, maxBytes }),
  };
}
