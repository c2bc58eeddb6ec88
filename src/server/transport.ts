// The SDK's stdio transport with what it leaves out: the end of stdin, broken lines, a request whose id is 0.
import { Buffer } from "node:buffer";
import process from "node:process";
import { Transform } from "node:stream";
import { withoutNull, withReason } from "./malformed.ts";
import { type JSONRPCMessage, type MessageExtraInfo, StdioServerTransport, type Transport } from "./sdk.ts";
import { Unanswered } from "./unanswered.ts";

/** The SDK ignores the cancelling of request id 0 (a falsy check), so id 0 goes by this name inside. */
const ZERO = "tmux-mcp/request-0";
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const NEWLINE = 10;
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/** MCP over this process's stdin and stdout, a message a line. */
export class StdioTransport implements Transport {
  // Declared, so that exactOptionalPropertyTypes accepts the SDK assigning undefined.
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  readonly #input: Transform = wholeLines();
  readonly #inner: StdioServerTransport;
  readonly #unanswered: Unanswered = new Unanswered();
  readonly #ended: PromiseWithResolvers<void> = Promise.withResolvers();
  /** The line that is being read. */
  #line: Uint8Array = new Uint8Array();

  constructor() {
    this.#inner = new StdioServerTransport(process.stdin.pipe(this.#input), process.stdout, {
      maxBufferSize: MAX_MESSAGE_BYTES,
    });
  }

  /** Settles when the client is gone: stdin ended and what it had just asked is answered, or stdout broke. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message) => {
      this.#unanswered.received(message);
      this.onmessage?.(withoutNull(renameZero(message)));
    };
    this.#inner.onerror = (error) => this.#broken(error);
    this.#inner.onclose = () => {
      this.#input.removeAllListeners("data").pause();
      this.#ended.resolve();
      this.onclose?.();
    };
    this.#input.on("data", (line: Uint8Array) => this.#line = line);
    this.#input.on("end", () => this.#finish());
    process.stdin.on("error", () => this.#ended.resolve());
    process.stdout.on("error", () => this.#ended.resolve());
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const named = "id" in message && message.id === ZERO ? { ...message, id: 0 } : message;
    await this.#inner.send(withReason(named));
    this.#unanswered.sent(named);
  }

  async #finish(): Promise<void> {
    await this.#unanswered.settled();
    process.stdout.write("", () => this.#ended.resolve());
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }

  #broken(error: Error): void {
    const code = error instanceof SyntaxError
      ? PARSE_ERROR
      : error.name === "ZodError" || error.name === "$ZodError"
      ? INVALID_REQUEST
      : undefined;
    if (code === undefined) return this.onerror?.(error);
    const message = code === PARSE_ERROR
      ? `Parse error: ${error.message}`
      : "Invalid Request: not a JSON-RPC message";
    const id = code === PARSE_ERROR ? null : idOf(this.#line);
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }) + "\n");
  }
}

/** Of a request that the SDK can't read: whoever sent it waits for an answer to this. */
function idOf(line: Uint8Array): string | number | null {
  const { id, method } = JSON.parse(new TextDecoder().decode(line)) ?? {};
  return typeof method === "string" && (typeof id === "string" || Number.isInteger(id)) ? id : null;
}

/** One whole line at a time: the SDK copies all it has for every chunk it gets. The last line needs no end. */
function wholeLines(): Transform {
  const held: Uint8Array[] = [];
  let size = 0;
  return new Transform({
    readableObjectMode: true,
    transform(chunk: Uint8Array, _encoding, done) {
      let start = 0;
      for (let end; (end = chunk.indexOf(NEWLINE, start)) >= 0; start = end + 1) {
        this.push(Buffer.concat([...held.splice(0), chunk.subarray(start, end + 1)]));
        size = 0;
      }
      held.push(chunk.subarray(start));
      size += chunk.length - start;
      // Too long: the SDK says so.
      if (size > MAX_MESSAGE_BYTES) this.push(Buffer.concat(held.splice(0)));
      done();
    },
    flush(done) {
      if (size > 0) this.push(Buffer.concat([...held, Uint8Array.of(NEWLINE)]));
      done();
    },
  });
}

function renameZero(message: JSONRPCMessage): JSONRPCMessage {
  if (!("method" in message)) return message;
  if ("id" in message) return message.id === 0 ? { ...message, id: ZERO } : message;
  const cancelsZero = message.method === "notifications/cancelled" && message.params?.requestId === 0;
  return cancelsZero ? { ...message, params: { ...message.params, requestId: ZERO } } : message;
}
