// MCP over stdin and stdout: one message per line, errors for invalid lines, and detection of the client's end.
import { BATCH_VERSION, Batches } from "./batches.ts";
import { OutputQueue } from "./output_queue.ts";
import type { FirstInput } from "../handshake.ts";
import { messageProblem, withoutNull, withReason } from "./malformed.ts";
import { type JSONRPCMessage, JSONRPCMessageSchema, type Transport } from "../sdk.ts";
import { delay, within } from "../../timer.ts";
import { Unanswered } from "./unanswered.ts";
import { type LongLine, WholeLines } from "./whole_lines.ts";
import { INVALID_REQUEST, PARSE_ERROR } from "../request_errors.ts";

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** Number of invalid lines in a row that still get an answer; a client that reads those would have stopped by then. */
const MAX_BROKEN = 100;
/** Time that this server waits at its end for a client that may not be reading. */
const FLUSH_MS = 500;
/** If a client has closed stdin and reads nothing for this long, it gets no further answers. */
const STALLED_MS = 1000;
const decoder = new TextDecoder();

/** MCP over this process's stdin and stdout, one message per line. */
export class StdioTransport implements Transport {
  // Declared, so that exactOptionalPropertyTypes accepts the SDK assigning undefined.
  onmessage?: NonNullable<Transport["onmessage"]>;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  /** True for a tool whose calls may wait for a program; their answers are waited for less. The server sets it. */
  waits: (tool: string) => boolean = () => true;
  readonly #lines: WholeLines = new WholeLines({
    maxBytes: MAX_MESSAGE_BYTES,
    onLong: (line) => this.#tooLong(line),
  });
  readonly #output: OutputQueue = new OutputQueue(Deno.stdout, () => this.#ended.resolve());
  readonly #unanswered: Unanswered = new Unanswered((tool) => this.waits(tool));
  readonly #batches: Batches = new Batches((answers) => void this.#write(answers));
  readonly #ended: PromiseWithResolvers<void> = Promise.withResolvers();
  readonly #first: Promise<FirstInput>;
  /** A request that was answered before this transport existed. */
  #answered: FirstInput["answered"];
  #takesBatches = false;
  /** Lines since the last message. */
  #brokenLines = 0;
  #isClosed = false;

  /**
   * Serves stdin, beginning with what was read of it before.
   * @param first Bytes already read from stdin, and the request answered from them
   */
  constructor(first: Promise<FirstInput> = Promise.resolve({ bytes: new Uint8Array() })) {
    this.#first = first;
  }

  /** Settles when the client is gone: stdin has ended and the last requests are answered, or stdout broke. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  start(): Promise<void> {
    void this.#read();
    return Promise.resolve();
  }

  async #read(): Promise<void> {
    try {
      const { bytes, answered } = await this.#first;
      this.#answered = answered;
      await this.#receive(this.#lines.add(bytes));
      const buffer = new Uint8Array(CHUNK_BYTES);
      for (let count; (count = await Deno.stdin.read(buffer)) !== null;) {
        await this.#receive(this.#lines.add(buffer.slice(0, count)));
      }
    } catch {
      return this.#ended.resolve();
    }
    await this.#receive(this.#lines.end());
    await this.#allAnswered();
    this.#ended.resolve();
  }

  /** Waits until the client has all answers or has stopped reading. */
  async #allAnswered(): Promise<void> {
    const answered = this.#unanswered.settled().then(() => this.#output.written).then(() => true);
    for (let before = -1; this.#output.waiting === 0 || this.#output.taken !== before;) {
      before = this.#output.taken;
      if (await within(answered, { ms: STALLED_MS, late: () => false })) return;
    }
  }

  async #receive(lines: readonly Uint8Array[]): Promise<void> {
    for (const line of lines) {
      if (this.#isClosed) return;
      for (const message of this.#parse(decoder.decode(line))) {
        this.#take(message);
        // The SDK cancels in a later step, and would find the next request under an id that is used again.
        if ("method" in message && message.method === "notifications/cancelled") await delay();
      }
    }
  }

  #take(message: JSONRPCMessage): void {
    this.#brokenLines = 0;
    if (this.#cancelsAnswered(message)) return;
    this.#unanswered.received(message);
    if ("method" in message) {
      const { method, params } = message;
      if (method === "initialize") this.#takesBatches = params?.protocolVersion === BATCH_VERSION;
      if (method === "notifications/cancelled") this.#batches.cancelled(params?.requestId);
    }
    this.#hand(message);
  }

  #hand(message: JSONRPCMessage): void {
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }

  /** The messages on a line, none on a blank one; invalid elements are answered with an error. */
  #parse(line: string): JSONRPCMessage[] {
    if (!/\S/.test(line)) return [];
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (error) {
      this.#refuse(null, { code: PARSE_ERROR, message: `Parse error: ${(error as Error).message}` });
      return [];
    }
    if (this.#takesBatches && Array.isArray(value) && value.length > 0) return this.#parseBatch(value);
    const { data } = readMessage(value);
    if (data) return [data];
    this.#refuse(idOf(value), { code: INVALID_REQUEST, message: messageProblem(value) });
    return [];
  }

  #parseBatch(values: readonly unknown[]): JSONRPCMessage[] {
    const messages = values.flatMap((value) => readMessage(value).data ?? []);
    const ids = messages.flatMap((each) =>
      "method" in each && "id" in each ? [each.id as string | number] : []
    );
    const refusals = values.filter((value) => !readMessage(value).success).map((value) => ({
      jsonrpc: "2.0",
      id: idOf(value),
      error: { code: INVALID_REQUEST, message: messageProblem(value) },
    }));
    this.#batches.add(ids, refusals);
    return messages;
  }

  async send(message: Parameters<Transport["send"]>[0]): Promise<void> {
    if (!this.#wasSent(message)) await this.#answer(withReason(message));
    this.#unanswered.sent(message);
  }

  async #answer(message: JSONRPCMessage): Promise<void> {
    if ("method" in message || !this.#batches.takes(message)) await this.#write(message);
  }

  async #write(message: unknown): Promise<void> {
    await this.#output.write(`${jsonOf(message)}\n`);
  }

  #wasSent(message: JSONRPCMessage): boolean {
    if (!("result" in message) || message.id !== this.#answered?.id) return false;
    // The client may use its id again: other results are not for it.
    if (!(this.#answered.member in message.result)) return false;
    this.#answered = undefined;
    return true;
  }

  /**
   * True if a message cancels the request that was already answered: the server would then drop the answer to
   * a later request with that id.
   */
  #cancelsAnswered(message: JSONRPCMessage): boolean {
    return this.#answered !== undefined && "method" in message && !("id" in message) &&
      message.method === "notifications/cancelled" && message.params?.requestId === this.#answered.id;
  }

  /** Waits until everything is written, unless the client has stopped reading. */
  async close(): Promise<void> {
    await within(this.#output.written, { ms: FLUSH_MS });
    this.#isClosed = true;
    this.#ended.resolve();
    this.onclose?.();
  }

  #tooLong({ bytes, id }: LongLine): void {
    const message =
      `Invalid Request: the message has ${bytes} bytes, at most ${MAX_MESSAGE_BYTES} are accepted`;
    this.#refuse(id, { code: INVALID_REQUEST, message });
  }

  /** Sends an error for an invalid message: always for a request, only a few times in a row for other lines. */
  #refuse(id: string | number | null, { code, message }: { code: number; message: string }): void {
    if (id === null && ++this.#brokenLines > MAX_BROKEN) return;
    const last = id === null && this.#brokenLines === MAX_BROKEN
      ? `. After ${MAX_BROKEN} such lines, no more are answered until a message is read`
      : "";
    const error = { code, message: message + last };
    void this.#write({ jsonrpc: "2.0", id, error });
  }
}

/**
 * Returns a message as JSON. Half of a surrogate pair, of which JSON.stringify makes an escape, becomes U+FFFD: the
 * parsers of Rust and Python refuse the line, and the call is never answered for their clients.
 */
function jsonOf(message: unknown): string {
  const json = JSON.stringify(message);
  if (!/\\ud[89a-f]/.test(json)) return json;
  return JSON.stringify(message, (_, value) => typeof value === "string" ? value.toWellFormed() : value);
}

function readMessage(value: unknown): ReturnType<typeof JSONRPCMessageSchema.safeParse> {
  return JSONRPCMessageSchema.safeParse(withoutNull(value));
}

/** Id of a request that the SDK can't read, whose sender waits for an answer. */
function idOf(value: unknown): string | number | null {
  const { id, method } = (value ?? {}) as Record<string, unknown>;
  return method !== undefined && (typeof id === "string" || Number.isSafeInteger(id))
    ? id as string | number
    : null;
}
