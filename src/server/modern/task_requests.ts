// Reads requests about tasks.
import { CAPABILITIES_KEY } from "../envelope.ts";
import { TASKS_EXTENSION } from "../introduction.ts";
import { showsForms } from "../elicitation.ts";
import type { ClientCapabilities, JSONRPCMessage } from "../sdk.ts";
import { invalidParams, type RequestError } from "../request_errors.ts";

const MISSING_CAPABILITY = -32021;

/** The error for a client that asks for tasks without declaring the extension. */
export const MISSING_TASKS: RequestError = {
  code: MISSING_CAPABILITY,
  message:
    `Missing required client capability: declare extensions["${TASKS_EXTENSION}"] in the request's _meta`,
  data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
};

export const NO_TASK_ID: RequestError = invalidParams(
  "Invalid taskId: expected the id of a call that became a task",
);

interface Meta {
  [key: string]: unknown;
  progressToken?: string | number;
}

interface ModernRequest {
  jsonrpc: "2.0";
  id: string | number;
  method: string;
  params?: { _meta?: Meta; [key: string]: unknown };
}

export interface TaskRequest extends ModernRequest {
  method: "tasks/get" | "tasks/update" | "tasks/cancel";
}

export interface CallRequest extends ModernRequest {
  params: { _meta?: Meta; [key: string]: unknown };
}

/** A request in which its client declares its capabilities. */
export interface DeclaringRequest {
  params?: Record<string, unknown> | undefined;
}

const METHODS: ReadonlySet<string> = new Set(["tasks/get", "tasks/update", "tasks/cancel"]);

export function isTaskRequest(message: JSONRPCMessage): message is JSONRPCMessage & TaskRequest {
  return "method" in message && "id" in message && METHODS.has(message.method);
}

export function unknownTask(taskId: string): string {
  return `Unknown task "${taskId.slice(0, 100)}": it never existed, or is no longer kept. ` +
    "list-commands and watch-events show what runs and what ended";
}

export function tasksDeclared({ params }: DeclaringRequest): boolean {
  const meta = params?._meta as Meta | undefined;
  const capabilities = meta?.[CAPABILITIES_KEY] as { extensions?: Record<string, unknown> } | undefined;
  const declared = capabilities?.extensions?.[TASKS_EXTENSION];
  return typeof declared === "object" && declared !== null;
}

export function formsDeclared({ params }: DeclaringRequest): boolean {
  const meta = params?._meta as Meta | undefined;
  return showsForms(meta?.[CAPABILITIES_KEY] as ClientCapabilities ?? {});
}

export function readTaskId({ params }: TaskRequest): string | undefined {
  return typeof params?.taskId === "string" ? params.taskId : undefined;
}
