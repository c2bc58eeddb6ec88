// The SDK's stdio transport with what it leaves out: the end of stdin, and broken lines.
import process from "node:process";
import type { Transform, Writable } from "node:stream";
import { clientOutput } from "./client_output.ts";
import type { FirstInput } from "./handshake.ts";
import { withoutNull, withReason } from "./malformed.ts";
import { type JSONRPCMessage, type MessageExtraInfo, StdioServerTransport, type Transport } from "./sdk.ts";
import { within } from "../timer.ts";
import { Unanswered } from "./unanswered.ts";
import { type LongLine, wholeLines } from "./whole_lines.ts";

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Lines in a row that are no message and are answered: a client that reads these does not write them. */
const MAX_BROKEN = 100;
/** Time that the end of this server waits for a client that may not be reading. */
const FLUSH_MS = 500;
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/** MCP over this process's stdin and stdout, a message a line. */
export class StdioTransport implements Transport {
  // Declared, so that exactOptionalPropertyTypes accepts the SDK assigning undefined.
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  readonly #input: Transform = wholeLines({
    maxBytes: MAX_MESSAGE_BYTES,
    onLong: (line) => this.#tooLong(line),
  });
  readonly #output: Writable = clientOutput();
  readonly #inner: StdioServerTransport;
  readonly #unanswered: Unanswered = new Unanswered();
  readonly #ended: PromiseWithResolvers<void> = Promise.withResolvers();
  readonly #first: Promise<FirstInput>;
  /** Id of a request whose answer was sent before this transport was there. */
  #answered: string | number | undefined;
  /** The line that is being read. */
  #line: Uint8Array = new Uint8Array();
  /** Lines since the last message. */
  #brokenLines = 0;

  /** @param first What somebody else has read from stdin: nothing, if left out. */
  constructor(first: Promise<FirstInput> = Promise.resolve({ bytes: new Uint8Array() })) {
    this.#first = first;
    this.#inner = new StdioServerTransport(this.#input as Transform & typeof process.stdin, this.#output, {
      // Longer lines do not come here.
      maxBufferSize: MAX_MESSAGE_BYTES + 1,
    });
  }

  /** Settles when the client is gone: stdin ended and what it had just asked is answered, or stdout broke. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message) => {
      this.#brokenLines = 0;
      if (this.#cancelsAnswered(message)) return;
      this.#unanswered.received(message);
      this.onmessage?.(withoutNull(message));
    };
    this.#inner.onerror = (error) => this.#broken(error);
    this.#inner.onclose = () => {
      this.#input.removeAllListeners("data").pause();
      this.#ended.resolve();
      this.onclose?.();
    };
    this.#input.on("data", (line: Uint8Array) => this.#line = line);
    this.#input.on("end", () => this.#finish());
    this.#output.on("error", () => this.#ended.resolve());
    await this.#inner.start();
    void this.#read();
  }

  async #read(): Promise<void> {
    const { bytes, answered } = await this.#first;
    this.#answered = answered;
    if (bytes.length > 0) this.#input.write(bytes);
    process.stdin.on("error", () => this.#ended.resolve());
    process.stdin.pipe(this.#input);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#wasSent(message)) await this.#inner.send(withReason(message));
    this.#unanswered.sent(message);
  }

  #wasSent(message: JSONRPCMessage): boolean {
    if (this.#answered === undefined || "method" in message || message.id !== this.#answered) return false;
    this.#answered = undefined;
    return true;
  }

  /** The server would not answer a request that is cancelled, and a later one may have its id. */
  #cancelsAnswered(message: JSONRPCMessage): boolean {
    return this.#answered !== undefined && "method" in message && !("id" in message) &&
      message.method === "notifications/cancelled" && message.params?.requestId === this.#answered;
  }

  async #finish(): Promise<void> {
    await this.#unanswered.settled();
    this.#output.write("", () => this.#ended.resolve());
  }

  async close(): Promise<void> {
    await this.#flush();
    await this.#inner.close();
  }

  /** Waits until everything is written, unless the client has stopped reading. */
  async #flush(): Promise<void> {
    const written = Promise.withResolvers<void>();
    this.#output.write("", () => written.resolve());
    await within(written.promise, { ms: FLUSH_MS, late() {} });
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
    this.#refuse(code === PARSE_ERROR ? null : idOf(this.#line), { code, message });
  }

  #tooLong({ bytes, id }: LongLine): void {
    const message = `Invalid Request: a message of ${bytes} bytes: expected at most ${MAX_MESSAGE_BYTES}`;
    this.#refuse(id, { code: INVALID_REQUEST, message });
  }

  /** Requests always get an answer; lines that are not requests get only so many. */
  #refuse(id: string | number | null, { code, message }: { code: number; message: string }): void {
    if (id === null && ++this.#brokenLines > MAX_BROKEN) return;
    const last = id === null && this.#brokenLines === MAX_BROKEN
      ? `. After ${MAX_BROKEN} such lines, no more are answered until a message is read`
      : "";
    const error = { code, message: message + last };
    this.#output.write(JSON.stringify({ jsonrpc: "2.0", id, error }) + "\n");
  }
}

/** Id of a request that the SDK can't read: its sender waits for an answer to it. */
function idOf(line: Uint8Array): string | number | null {
  const { id, method } = JSON.parse(new TextDecoder().decode(line)) ?? {};
  return typeof method === "string" && (typeof id === "string" || Number.isInteger(id)) ? id : null;
}
