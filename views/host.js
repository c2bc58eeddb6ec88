// The client around the page, per MCP Apps (2026-01-26): JSON-RPC over `postMessage`.

/** @typedef {{ isError?: boolean, content?: { text?: string }[], structuredContent?: any, _meta?: any }} Answer */

/** The SDK's JSON-RPC code for a call that timed out in the host. */
const TIMED_OUT = -32001;

/** A failed call: `code` is the server's, or `timeout` or `host` if the client ended or refused it. */
export class CallError extends Error {
  /** @param {string} message @param {string} code */
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

/** The failure that an answer reports. @param {Answer} answer */
export function errorOf({ content, _meta }) {
  return new CallError(
    content?.[0]?.text ?? "The call failed",
    _meta?.["tmux-mcp/error"]?.code ?? "internal",
  );
}

/** @type {Readonly<Record<string, string>>} */
const SENTENCES = {
  "gone": "This pane has ended",
  "not-found": "This pane has ended",
  "denied": "The server's settings hide this pane",
  "tmux-unavailable": "tmux can't be reached; trying again",
  "busy": "Changes can't be followed now; looking again",
};

/** @type {Readonly<Record<string, string>>} */
const REFUSALS = {
  "denied": "Not typed: the server's settings don't allow it",
  "busy": "The pane is busy: nothing was typed",
};

/**
 * Text of an error for the person at the page, because the server's errors address the model.
 * @param {CallError} error
 */
export function sentenceFor({ code, message }) {
  return SENTENCES[code] ?? message;
}

/** The same for text or keys that were not typed. @param {CallError} error */
export function refusalFor(error) {
  return REFUSALS[error.code] ?? sentenceFor(error);
}

/** The client around the frame, as JSON-RPC over `postMessage`. */
export class Host {
  #next = 1;
  /** @type {Map<number, { resolve(result: any): void, reject(error: Error): void }>} */
  #waiting = new Map();
  #post;
  #handlers;

  /**
   * @param {(message: object) => void} post
   * @param {Record<string, ((params: any) => unknown) | undefined>} handlers Of notifications and requests, by method.
   */
  constructor(post, handlers) {
    this.#post = post;
    this.#handlers = handlers;
  }

  /** @param {any} message */
  receive(message) {
    if (message?.jsonrpc !== "2.0") return;
    if (typeof message.method === "string") return this.#asked(message);
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    const { error } = message;
    const code = error?.code === TIMED_OUT ? "timeout" : "host";
    if (error) waiting?.reject(new CallError(String(error.message), code));
    else waiting?.resolve(message.result);
  }

  /** @param {string} method @param {object} params @returns {Promise<any>} */
  request(method, params) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#post({ jsonrpc: "2.0", id, method, params });
    });
  }

  /** @param {string} method @param {object} params */
  notify(method, params) {
    this.#post({ jsonrpc: "2.0", method, params });
  }

  /** Cancels all waiting requests, also in the client. */
  cancelAll() {
    for (const requestId of this.#waiting.keys()) this.notify("notifications/cancelled", { requestId });
    this.#waiting.clear();
  }

  /** Calls a tool. @param {string} name @param {object} args @returns {Promise<any>} */
  async call(name, args) {
    /** @type {Answer} */
    const answer = await this.request("tools/call", { name, arguments: args });
    if (answer.isError) throw errorOf(answer);
    return answer.structuredContent;
  }

  /** @param {{ id?: number | string, method: string, params?: object }} message */
  #asked({ id, method, params }) {
    const handler = this.#handlers[method];
    const result = handler?.(params ?? {});
    if (id === undefined) return;
    const answer = handler
      ? { result: result ?? {} }
      : { error: { code: -32601, message: `There is no ${method}` } };
    this.#post({ jsonrpc: "2.0", id, ...answer });
  }
}
