// Several calls in one; each may take values from the results of earlier ones.
import * as z from "zod";
import { AppError } from "../errors.ts";
import { excerpt } from "../excerpt.ts";
import { type Content, defineTool, type ToolContext, type ToolOutcome } from "../tool.ts";

const MAX_CALLS = 32;

const namedValues = z.record(z.string(), z.unknown());

const error = z.strictObject({
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
  retryable: z.boolean(),
});

export const callTools = defineTool({
  name: "call-tools",
  description: "Make up to 32 tool calls in order. " +
    'An argument {"from": 0, "key": "paneId"} takes that field of the first result.',
  scope: "agentic",
  groups: ["all"],
  // The tool itself does nothing; policy decides on each of its calls.
  effect: "read",
  announcedEffect: "destroy",
  waits: true,
  maxResultSizeChars: 500_000,
  input: z.strictObject({
    calls: z.array(z.strictObject({
      tool: z.string().min(1),
      arguments: namedValues.default({}),
    })).min(1).max(MAX_CALLS).describe(`At most ${MAX_CALLS}`),
    onError: z.enum(["stop", "continue"]).default("stop").describe("What to do after a failed call"),
  }),
  output: z.strictObject({
    results: z.array(z.strictObject({
      tool: z.string(),
      ok: z.boolean(),
      result: z.union([namedValues, z.string()]).optional(),
      error: error.optional(),
      /** The part of the result that did not fit beside the others. */
      omitted: z.string().optional(),
    })),
    notCalled: z.int().optional(),
  }),
  targets: () => [],
  readsOn: "Make fewer calls at once.",
  async run({ calls, onError }, { callTool, attach, signal, fit, part }) {
    const nested = calls.findIndex(({ tool }) => tool.replaceAll("_", "-") === "call-tools");
    if (nested >= 0) {
      const what = `Invalid calls[${nested}].tool "call-tools": expected another tool`;
      throw new AppError("invalid-argument", what, { hint: "Put the nested calls into this list" });
    }
    const results: Called[] = [];
    for (const { tool, arguments: args } of calls) {
      signal.throwIfAborted();
      const share = {
        beside: { results: [...results, { tool, ok: true }] },
        parts: calls.length - results.length,
      };
      const call = (args: Record<string, unknown>) => callTool(tool, args, share);
      const { pictures = [], ...outcome } = await callWithReferences(args, results, call);
      results.push({ tool, ...outcome });
      for (const picture of pictures) attach(picture);
      if (!outcome.ok && onError === "stop") break;
    }
    const notCalled = calls.length - results.length;
    return await fit(Infinity, (most) => ({
      results: results.map((called) => shorten(called, part, most)),
      ...(notCalled > 0 && { notCalled }),
    }));
  },
});

type Outcome = ToolOutcome & { pictures?: Content[] };
type Called = ToolOutcome & { tool: string };

/** Shortens only the long parts of each result: without its ids, a caller could only run the command again. */
function shorten(called: Called, part: ToolContext["part"], most: number) {
  if (!called.ok) return called;
  const { value, omitted } = part(called.result, most);
  if (omitted === undefined) return called;
  const result = value as typeof called.result;
  return { ...called, result, omitted: `${omitted}. Read the rest with another call; run no command again` };
}

async function callWithReferences(
  args: Record<string, unknown>,
  results: readonly Called[],
  call: (args: Record<string, unknown>) => Promise<ToolOutcome>,
): Promise<Outcome> {
  try {
    const values = withReferences(args, results);
    const { data: named } = namedValues.safeParse(values);
    if (named) return await call(named);
    const what = `Invalid arguments ${excerpt(JSON.stringify(values), 100)}: expected names and values`;
    throw new AppError("invalid-argument", what, { hint: "Put the reference in place of one value" });
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    const { code, message, hint, retryable } = thrown;
    return { ok: false, error: { code, message, ...(hint === undefined ? {} : { hint }), retryable } };
  }
}

/** Replaces each reference to an earlier result by its value, at any depth. */
function withReferences(value: unknown, results: readonly Called[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => withReferences(each, results));
  const entries = Object.entries(value);
  const { from, key } = value as { from?: unknown; key?: unknown };
  const isPlace = typeof from === "number" || typeof from === "string" && /^\d+$/.test(from);
  if (entries.length === 2 && isPlace && typeof key === "string") {
    return readReference(Number(from), key, results);
  }
  return Object.fromEntries(entries.map(([name, each]) => [name, withReferences(each, results)]));
}

function readReference(from: number, key: string, results: readonly Called[]): unknown {
  const spelled = `{"from": ${from}, "key": ${JSON.stringify(key.slice(0, 100))}}`;
  const earlier = results[from];
  if (earlier === undefined) {
    const last = results.length - 1;
    const expected = last < 0 ? "the first call can't refer to a result" : `expected from 0 to ${last}`;
    throw new AppError("invalid-argument", `Invalid reference ${spelled}: ${expected}`, {
      hint: "Refer to an earlier call of this list by its position, or give the value itself",
    });
  }
  if (!earlier.ok) {
    const what = `Invalid reference ${spelled}: call ${from} (${earlier.tool}) failed`;
    throw new AppError("invalid-argument", what, {
      hint: "Correct that call first: its error is in these results",
    });
  }
  const found = readPath(earlier.result, key);
  if (found !== undefined) return found;
  const keys = fieldsOf(earlier.result).join(", ");
  const what = `Invalid reference ${spelled}: ${earlier.tool} returned no such field`;
  throw new AppError("invalid-argument", what, {
    hint: keys === "" ? "Its result is text, which has no fields" : `Its fields: ${keys}`,
  });
}

/** Fields of a result as a reference names them; of a list of objects, those of its first entry. */
function fieldsOf(result: unknown): string[] {
  const entries = typeof result === "object" ? Object.entries(result ?? {}) : [];
  return entries.flatMap(([name, value]) => {
    const first: unknown = Array.isArray(value) ? value[0] : undefined;
    if (typeof first !== "object" || first === null) return [name];
    return Object.keys(first).map((each) => `${name}.0.${each}`);
  });
}

/** Field of a result; `panes.0.id`, or `panes[0].id`, is a field of the first entry of the list `panes`. */
function readPath(result: unknown, path: string): unknown {
  const own = (value: unknown, key: string): unknown =>
    typeof value === "object" && value !== null && Object.hasOwn(value, key)
      ? (value as Record<string, unknown>)[key]
      : undefined;
  return own(result, path) ?? path.replace(/\[(\d+)\]/g, ".$1").split(".").reduce(own, result);
}
