// Calls that ask the person at a client without tasks: the request returns a form, and the client's next
// request continues the call with the answer.
import type { AskPerson } from "../../handover/handovers.ts";
import { formRequest, formsProblem, readForm } from "../elicitation.ts";
import { isObject } from "../../json.ts";
import type { JSONRPCMessage } from "../sdk.ts";
import { type CallRequest, formsDeclared } from "./task_requests.ts";
import { invalidParams } from "../request_errors.ts";

export interface RoundTripsOptions {
  waits(tool: string): boolean;
  /** Passes a message to the server that runs calls. */
  deliver(message: JSONRPCMessage): void;
  send(message: JSONRPCMessage): void;
}

interface Question {
  readonly key: string;
  readonly request: unknown;
  answered(response: unknown): void;
}

/** One call, across all requests that the client makes for it. */
interface RoundCall {
  /** Name and arguments, which every request must repeat. */
  readonly asked: string;
  /** The client's request that gets the result; undefined while the client shows a form. */
  open: { id: string | number; progressToken: string | number | undefined } | undefined;
  question?: Question | undefined;
  /** The `requestState` of the next request. */
  state?: string;
  /** Result of the call, if it ended while the client shows a form. */
  result?: JSONRPCMessage;
}

/** Maximum number of finished calls kept for a client's next request, which may never come. */
const MAX_FINISHED = 16;
const UNKNOWN_STATE =
  "Invalid requestState: this process has no waiting call with this state, name and arguments. " +
  "Look for the command with list-commands before you run it again";

export class RoundTrips {
  readonly #options: RoundTripsOptions;
  /** Calls by the id that they run under. */
  readonly #calls: Map<string, RoundCall> = new Map();
  #count = 0;

  constructor(options: RoundTripsOptions) {
    this.#options = options;
  }

  /** Takes a message from the client. False if it isn't about such a call. */
  receive(message: JSONRPCMessage): boolean {
    if (!("method" in message)) return false;
    const { method, params } = message;
    if (method === "notifications/cancelled") return this.#cancel(params?.requestId);
    if (method !== "tools/call" || !("id" in message)) return false;
    const request = message as CallRequest;
    const { requestState } = request.params;
    return requestState === undefined ? this.#begin(request) : this.#resume(request, requestState);
  }

  /** Takes a message for the client. False if the message goes out unchanged. */
  intercept(message: JSONRPCMessage): boolean {
    if ("method" in message) return this.#progress(message);
    const key = message.id as string;
    const call = this.#calls.get(key);
    if (call === undefined) return false;
    if (call.open) {
      this.#calls.delete(key);
      this.#options.send({ ...message, id: call.open.id });
    } else {
      call.result = message;
      this.#forgetOldest();
    }
    return true;
  }

  /** Function that asks the person at the client of a running call; undefined for other calls. */
  askPerson(key: unknown): AskPerson | undefined {
    const call = this.#calls.get(key as string);
    if (call === undefined) return undefined;
    return async (message, signal) => {
      // A background watch outlives its call, which has no request left that could return a form.
      if (this.#calls.get(key as string) !== call) return "unasked";
      const { promise, resolve } = Promise.withResolvers<unknown>();
      const question = { key: crypto.randomUUID(), request: formRequest(message), answered: resolve };
      call.question = question;
      this.#show(call);
      signal.addEventListener("abort", () => resolve(undefined), { once: true });
      if (signal.aborted) resolve(undefined);
      const response = await promise as { action?: unknown } | undefined;
      if (call.question === question) call.question = undefined;
      return response === undefined ? "unasked" : readForm(response.action);
    };
  }

  #begin(request: CallRequest): boolean {
    if (!formsDeclared(request) || !this.#options.waits(String(request.params.name))) return false;
    const key = `tmux-mcp/round-${++this.#count}`;
    const { _meta: meta } = request.params;
    const open = { id: request.id, progressToken: meta?.progressToken };
    this.#calls.set(key, { asked: nameAndArguments(request), open });
    const params = { ...request.params, _meta: { ...meta, progressToken: key } };
    this.#options.deliver({ ...request, id: key, params });
    return true;
  }

  /** Continues a call with the client's next request, after a form. */
  #resume(request: CallRequest, state: unknown): boolean {
    const { id, params } = request;
    const { inputResponses = {} } = params;
    const [key, call] = [...this.#calls].find(([, each]) => each.state === state) ?? [];
    const problem = key === undefined || call === undefined || call.asked !== nameAndArguments(request)
      ? UNKNOWN_STATE
      : formsProblem(inputResponses, call.question ? [call.question.key] : []);
    if (key === undefined || call === undefined || problem !== undefined) {
      this.#options.send({ jsonrpc: "2.0", id, error: invalidParams(problem!) });
      return true;
    }
    delete call.state;
    call.open = { id, progressToken: params._meta?.progressToken };
    if (call.result) return this.intercept(call.result);
    const { question } = call;
    if (question === undefined) return true;
    const responses = inputResponses as Record<string, unknown>;
    // The open question may be newer than the form that was shown, or the client may have left it out.
    if (question.key in responses) question.answered(responses[question.key]);
    else this.#show(call);
    return true;
  }

  /** Sends the form for a question as the result of the client's open request; else the next request gets it. */
  #show(call: RoundCall): void {
    const { open, question } = call;
    if (open === undefined || question === undefined) return;
    call.open = undefined;
    call.state = crypto.randomUUID();
    const result = {
      resultType: "input_required",
      inputRequests: { [question.key]: question.request },
      requestState: call.state,
    };
    this.#options.send({ jsonrpc: "2.0", id: open.id, result });
  }

  #progress(
    message: JSONRPCMessage & { method: string; params?: Record<string, unknown> | undefined },
  ): boolean {
    const call = this.#calls.get(message.params?.["progressToken"] as string);
    if (message.method !== "notifications/progress" || call === undefined) return false;
    const progressToken = call.open?.progressToken;
    if (progressToken !== undefined) {
      this.#options.send({ ...message, params: { ...message.params, progressToken } });
    }
    return true;
  }

  /** Ends the wait of a call; the program keeps running. */
  #cancel(id: unknown): boolean {
    const [key] = [...this.#calls].find(([, { open }]) => open !== undefined && open.id === id) ?? [];
    if (key === undefined) return false;
    this.#calls.delete(key);
    this.#options.deliver({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: key } });
    return true;
  }

  #forgetOldest(): void {
    const finished = [...this.#calls].filter(([, { result }]) => result);
    for (const [key] of finished.slice(0, -MAX_FINISHED)) this.#calls.delete(key);
  }
}

/** The same text for the same call, in whatever order a client writes the members of its arguments. */
function nameAndArguments({ params }: CallRequest): string {
  return JSON.stringify(
    [params.name, params.arguments ?? {}],
    (_key, value) =>
      isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1)) : value,
  );
}
