// The requests that this server handles, declared once for both protocol eras.
import type * as z from "zod";
import type { TaskCall } from "../durable/task_call.ts";
import type { AskPerson } from "../handover/handovers.ts";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  type Notification,
  ReadResourceRequestSchema,
  type Result,
} from "./sdk.ts";

/** Every method that both eras have, with the schema that reads its request. */
export const REQUESTS = {
  "tools/list": ListToolsRequestSchema,
  "tools/call": CallToolRequestSchema,
  "resources/list": ListResourcesRequestSchema,
  "resources/templates/list": ListResourceTemplatesRequestSchema,
  "resources/read": ReadResourceRequestSchema,
  "prompts/list": ListPromptsRequestSchema,
  "prompts/get": GetPromptRequestSchema,
  "completion/complete": CompleteRequestSchema,
} as const;

export type RequestMethod = keyof typeof REQUESTS;
export type RequestParams<M extends RequestMethod = RequestMethod> = z.output<typeof REQUESTS[M]>["params"];

/** Context that a handler gets in addition to its params. */
export interface RequestContext {
  /** Aborted when the client cancels the request or disconnects. */
  readonly signal: AbortSignal;
  readonly progressToken: string | number | undefined;
  notify(notification: Notification): Promise<void>;
  /** Absent if the client shows no forms. */
  readonly askPerson?: AskPerson | undefined;
  /** Absent if the client takes no tasks. */
  readonly task?: TaskCall | undefined;
}

type Handler<M extends RequestMethod> = (
  params: RequestParams<M>,
  context: RequestContext,
) => Result | Promise<Result>;

/** Lists that never have a second page. */
const ONE_PAGE: ReadonlySet<RequestMethod> = new Set([
  "tools/list",
  "prompts/list",
  "resources/templates/list",
]);

export class RequestHandlers {
  readonly #handlers: Map<RequestMethod, Handler<RequestMethod>> = new Map();

  handle<M extends RequestMethod>(method: M, handler: Handler<M>): void {
    const any = handler as Handler<RequestMethod>;
    this.#handlers.set(method, ONE_PAGE.has(method) ? onePage(method, any) : any);
  }

  entries(): [RequestMethod, Handler<RequestMethod>][] {
    return [...this.#handlers];
  }
}

function onePage(method: RequestMethod, handler: Handler<RequestMethod>): Handler<RequestMethod> {
  return (params, context) => {
    const { cursor } = (params ?? {}) as { cursor?: unknown };
    if (cursor === undefined || cursor === "") return handler(params, context);
    const what = `Invalid cursor: ${method} has one page; leave the cursor out`;
    throw new McpError(ErrorCode.InvalidParams, what);
  };
}
