// Malformed messages: repairs those whose meaning is clear, and says what is wrong with the others.
import { type JSONRPCMessage, JSONRPCNotificationSchema, JSONRPCRequestSchema } from "../sdk.ts";
import { isObject, parseJson } from "../../json.ts";
import { INTERNAL_ERROR, INVALID_PARAMS, invalidParams, plainMessage } from "../request_errors.ts";

/** Depth of the members that are removed: a client's capabilities, in the `_meta` of params, are the deepest. */
const NULL_DEPTH = 8;

/**
 * Removes null members, which some languages' clients send instead of omitting them: a response may have both a result
 * and an error of null. The id keeps its null, with which no request can be answered.
 */
export function withoutNull(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { id, params, ...others } = message;
  return {
    ...withoutNullMembers(others, NULL_DEPTH),
    ...("id" in message && { id }),
    ...(params !== null && "params" in message && { params: paramsWithoutNull(params) }),
  };
}

/** Arguments keep their nulls, because each tool says what null means there, and so do responses to forms. */
function paramsWithoutNull(params: unknown): unknown {
  if (!isObject(params)) return params;
  const { arguments: args, inputResponses, ...more } = params;
  const given = { arguments: asObject(args) ?? null, inputResponses: inputResponses ?? null };
  return { ...withoutNullMembers(more, NULL_DEPTH), ...withoutNullMembers(given, 0) };
}

/** Arguments as an object: some clients send its JSON as text, and PHP encodes an empty one as a list. */
function asObject(args: unknown): unknown {
  const meant = typeof args === "string" ? parseJson(args) : args;
  if (Array.isArray(meant) && meant.length === 0) return {};
  return isObject(meant) ? meant : args;
}

function withoutNullMembers(value: Record<string, unknown>, depth: number): Record<string, unknown> {
  const given = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(given.map(([key, each]) => {
    return [key, isObject(each) && depth > 0 ? withoutNullMembers(each, depth - 1) : each];
  }));
}

/** Says why a value is no message; of a request or notification, which member is wrong. */
export function messageProblem(value: unknown): string {
  const problem = "Invalid Request: not a JSON-RPC message";
  if (!isObject(value) || !("method" in value)) return problem;
  const schema = "id" in value ? JSONRPCRequestSchema : JSONRPCNotificationSchema;
  const [issue] = schema.safeParse(withoutNull(value)).error?.issues ?? [];
  return [problem, issue?.path.join("."), issue?.message].filter(Boolean).join(": ");
}

/**
 * Shortens the error for malformed params. Both SDKs send zod's whole report, the older one as an internal
 * error. The older one also puts the code into each message, and its client does so again.
 */
export function withReason(message: JSONRPCMessage): JSONRPCMessage {
  if (!("error" in message)) return message;
  const { error } = message;
  const issue = [INTERNAL_ERROR, INVALID_PARAMS].includes(error.code) ? findIssue(error.message) : undefined;
  if (issue === undefined) return { ...message, error: { ...error, message: plainMessage(error) } };
  return { ...message, error: invalidParams(`${issue.path.join(".")}: ${issue.message}`) };
}

function findIssue(text: string): { path: string[]; message: string } | undefined {
  const [, issues = ""] = /^(?:Invalid \S+ request: )?(\[.*\])$/s.exec(text) ?? [];
  const read = parseJson(issues);
  return Array.isArray(read) ? read.find((issue) => issue?.path?.[0] === "params") : undefined;
}
