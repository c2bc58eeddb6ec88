// A client that writes arbitrary lines to the server's stdin, for what no SDK client would send.
import { within } from "../../src/timer.ts";
import { linesOf, spawnServer } from "./launched.ts";
import type { World } from "./world.ts";

export interface RawMessage {
  id?: number | string | null;
  method?: string;
  // deno-lint-ignore no-explicit-any -- messages of many shapes
  params?: any;
  // deno-lint-ignore no-explicit-any -- messages of many shapes
  result?: any;
  // deno-lint-ignore no-explicit-any -- messages of many shapes
  error?: { code: number; message: string; data?: any };
}

const DEADLINE_MS = 60_000;

/** `_meta` of a request of 2026-07-28. */
export function envelope(capabilities: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
}

export class RawClient implements AsyncDisposable {
  readonly child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #lines: AsyncIterator<string>;
  readonly #stderr: Promise<string>;

  constructor(world: World, args: readonly string[] = [], child = spawnServer(world, args)) {
    this.child = child;
    this.#writer = this.child.stdin.getWriter();
    this.#lines = linesOf(this.child.stdout);
    this.#stderr = new Response(this.child.stderr).text();
  }

  /** Sends one line as it is. */
  async line(text: string): Promise<void> {
    await this.text(text + "\n");
  }

  async text(text: string): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(text));
  }

  /** Sends these lines and closes stdin, then reads all messages until the server ends. */
  async last(lines: readonly string[]): Promise<RawMessage[]> {
    await this.text(lines.join("\n"));
    await this.#writer.close();
    const answers: RawMessage[] = [];
    for (let line = await this.#lines.next(); !line.done; line = await this.#lines.next()) {
      answers.push(JSON.parse(line.value));
    }
    return answers;
  }

  /** Closes this end of the server's stdout. */
  async stopReading(): Promise<void> {
    await this.#lines.return?.();
  }

  async send(message: Record<string, unknown>): Promise<void> {
    await this.line(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  /** The next message from the server; every line of stdout must be one. */
  async next(): Promise<RawMessage> {
    const { value, done } = await within(this.#lines.next(), {
      ms: DEADLINE_MS,
      late: (): never => {
        throw new Error("The server has said nothing for a minute");
      },
    });
    if (done) throw new Error(`The server ended: ${await this.#stderr}`);
    return JSON.parse(value);
  }

  /** The answer to a request; earlier messages are skipped. */
  async answer(id: number | string): Promise<RawMessage> {
    for (;;) {
      const message = await this.next();
      if (message.id === id && message.method === undefined) return message;
    }
  }

  async initialize(
    id: number | string = 1,
    capabilities: Record<string, unknown> = {},
  ): Promise<RawMessage> {
    const clientInfo = { name: "raw", version: "1" };
    await this.send({
      id,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities, clientInfo },
    });
    const answer = await this.answer(id);
    await this.send({ method: "notifications/initialized" });
    return answer;
  }

  async call(id: number | string, name: string, args: Record<string, unknown> = {}): Promise<RawMessage> {
    await this.send({ id, method: "tools/call", params: { name, arguments: args } });
    return await this.answer(id);
  }

  /** Sends a request with an envelope, and reads its answer. */
  async modern(
    id: number | string,
    method: string,
    params: Record<string, unknown> = {},
    meta: Record<string, unknown> = envelope(),
  ): Promise<RawMessage> {
    await this.send({ id, method, params: { ...params, _meta: meta } });
    return await this.answer(id);
  }

  /** Closes stdin and returns how the server ended. */
  async hangUp(): Promise<Deno.CommandStatus> {
    await this.#writer.close();
    return await this.child.status;
  }

  /** Continues a server that a failed test has left stopped. */
  #wake(): void {
    try {
      this.child.kill("SIGCONT");
    } catch {
      // It has ended.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close().catch(() => {});
    this.#wake();
    await this.child.status;
    while (!(await this.#lines.next()).done);
    await this.#stderr;
  }
}
