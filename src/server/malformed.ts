// Params of another shape than the protocol has: those that are plainly meant, and what is said of the others.
import type { JSONRPCMessage } from "./sdk.ts";

const INTERNAL_ERROR = -32603;
const INVALID_PARAMS = -32602;

/** Clients whose language has no empty map to give send `"arguments": null`. */
export function withoutNull(message: JSONRPCMessage): JSONRPCMessage {
  if (!("method" in message) || message.params?.arguments !== null) return message;
  const { arguments: _null, ...params } = message.params;
  return { ...message, params };
}

/** The SDK answers params of a wrong shape as an internal error, with all that zod says of them. */
export function withReason(message: JSONRPCMessage): JSONRPCMessage {
  if (!("error" in message) || message.error.code !== INTERNAL_ERROR) return message;
  const issue = findIssue(message.error.message);
  if (issue === undefined) return message;
  return {
    ...message,
    error: { code: INVALID_PARAMS, message: `${issue.path.join(".")}: ${issue.message}` },
  };
}

function findIssue(text: string): { path: string[]; message: string } | undefined {
  if (!text.startsWith("[")) return undefined;
  try {
    return JSON.parse(text).find((issue: { path?: unknown[] }) => issue.path?.[0] === "params");
  } catch {
    return undefined;
  }
}
