// Serves a stdio MCP server over HTTP on loopback, for clients that speak only HTTP.

interface Params {
  [key: string]: unknown;
  _meta?: Record<string, unknown>;
  progressToken?: string | number;
}

interface Message {
  jsonrpc: "2.0";
  id?: string | number | null;
  method?: string;
  params?: Params;
  result?: Params;
  error?: { code: number; message: string };
}

const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
/** HTTP status of JSON-RPC errors. A missing `_meta` is Bad Request, as are other malformed requests. */
const STATUS: Readonly<Record<number, number>> = { [-32600]: 400, [-32601]: 404, [-32700]: 400 };
const MODERN_ERRORS = [-32020, -32021, -32022];

/** One server process; requests of several HTTP clients get unique ids. */
class StdioServer {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #asked: Map<string, (message: Message) => void> = new Map();
  #requests = 0;

  constructor([program, ...args]: readonly string[], env: Record<string, string>) {
    this.#child = new Deno.Command(program!, {
      args,
      env,
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#writer = this.#child.stdin.getWriter();
    void this.#read();
  }

  async send(message: Message): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(JSON.stringify(message) + "\n"));
  }

  /** Sends a request, and passes on its notifications and its answer. */
  ask(request: Message, reply: (message: Message) => void): string {
    const id = `request-${++this.#requests}`;
    const token = request.params?._meta?.["progressToken"];
    const stamp = (params: Params): Params =>
      params._meta?.[SUBSCRIPTION] === undefined
        ? params
        : { ...params, _meta: { ...params._meta, [SUBSCRIPTION]: request.id } };
    if (token !== undefined) this.#asked.set(String(token), reply);
    this.#asked.set(id, (message) => {
      if (message.method !== undefined) return reply({ ...message, params: stamp(message.params ?? {}) });
      this.#asked.delete(id);
      reply({ ...message, id: request.id!, ...(message.result && { result: stamp(message.result) }) });
    });
    void this.send({ ...request, id });
    return id;
  }

  async close(): Promise<void> {
    await this.#writer.close();
    await this.#child.status;
  }

  async #read(): Promise<void> {
    let rest = "";
    for await (const bytes of this.#child.stdout) {
      const lines = (rest + new TextDecoder().decode(bytes)).split("\n");
      rest = lines.pop()!;
      for (const line of lines) this.#take(JSON.parse(line));
    }
  }

  #take(message: Message): void {
    const { params } = message;
    const key = message.method === undefined
      ? message.id
      : params?._meta?.[SUBSCRIPTION] ?? params?.progressToken;
    this.#asked.get(String(key))?.(message);
  }
}

/** One process for all requests that carry their version, and one per session. */
export class HttpBridge implements AsyncDisposable {
  readonly url: string;
  readonly #start: () => StdioServer;
  readonly #shared: StdioServer;
  readonly #sessions: Map<string, StdioServer> = new Map();
  readonly #http: Deno.HttpServer<Deno.NetAddr>;

  constructor(command: readonly string[], env: Record<string, string>) {
    this.#start = () => new StdioServer(command, env);
    this.#shared = this.#start();
    this.#http = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      (request) => this.#serve(request),
    );
    this.url = `http://127.0.0.1:${this.#http.addr.port}/mcp`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#shared, ...this.#sessions.values()].map((server) => server.close()));
    await this.#http.shutdown();
  }

  async #serve(request: Request): Promise<Response> {
    const names = [request.headers.get("host"), request.headers.get("origin")].filter((name) =>
      name !== null
    );
    if (!names.every((name) => /\b(?:localhost|127\.0\.0\.1)\b/.test(name))) return status(403);
    const session = request.headers.get("mcp-session-id") ?? "";
    if (request.method === "DELETE") return status(this.#sessions.delete(session) ? 200 : 404);
    if (request.method !== "POST") return status(405);
    const message: Message = await request.json();
    const headers = new Headers();
    let server = session === "" ? this.#shared : this.#sessions.get(session);
    if (message.method === "initialize" && message.params?._meta === undefined) {
      const id = crypto.randomUUID();
      headers.set("mcp-session-id", id);
      this.#sessions.set(id, server = this.#start());
    }
    if (server === undefined) return status(404);
    if (message.id !== undefined && message.method !== undefined) {
      return await answer(server, message, headers);
    }
    await server.send(message);
    return status(202);
  }
}

function status(code: number): Response {
  return new Response(null, { status: code });
}

/** JSON if the answer is the first message; otherwise a stream of all messages up to the answer. */
async function answer(server: StdioServer, request: Message, headers: Headers): Promise<Response> {
  const { promise, resolve } = Promise.withResolvers<Response>();
  let stream: WritableStreamDefaultWriter<Uint8Array> | undefined;
  const id = server.ask(request, (message) => {
    const isAnswer = message.method === undefined;
    if (isAnswer && stream === undefined) {
      return resolve(Response.json(message, { status: statusOf(message), headers }));
    }
    if (stream === undefined) {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      stream = writable.getWriter();
      headers.set("content-type", "text/event-stream");
      resolve(new Response(readable, { headers }));
    }
    const event = `event: message\ndata: ${JSON.stringify(message)}\n\n`;
    // A client that closes its stream cancels the request, unless the server has ended.
    stream.write(new TextEncoder().encode(event)).catch(() =>
      server.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } }).catch(
        () => {},
      )
    );
    if (isAnswer) stream.close().catch(() => {});
  });
  return await promise;
}

function statusOf({ error }: Message): number {
  if (error === undefined) return 200;
  if (MODERN_ERRORS.includes(error.code) || /_meta/.test(error.message)) return 400;
  return STATUS[error.code] ?? 200;
}
