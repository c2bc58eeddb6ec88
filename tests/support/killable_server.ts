// A server that is killed, or whose client is killed: its pipes close without notice.
import { linesOf, spawnServer } from "./launched.ts";
import { Client } from "./sdk.ts";
import type { World } from "./world.ts";

const END_MS = 15_000;

/** Which process is killed. */
export type Victim = "client" | "server" | "both";
export const VICTIMS: readonly Victim[] = ["client", "server", "both"];

type Message = Parameters<NonNullable<Client["transport"]>["send"]>[0];

export class KillableServer implements AsyncDisposable {
  readonly client: Client = new Client({ name: "tmux-mcp-tests", version: "1" }, { capabilities: {} });
  readonly child: Deno.ChildProcess;
  readonly stderr: Promise<string>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #stopped = new AbortController();
  #isKilled = false;

  private constructor(world: World, args: readonly string[]) {
    this.child = spawnServer(world, args);
    this.stderr = new Response(this.child.stderr).text();
    this.#writer = this.child.stdin.getWriter();
  }

  static async start(world: World, args: readonly string[] = []): Promise<KillableServer> {
    const server = new KillableServer(world, args);
    await server.client.connect(server.#transport());
    return server;
  }

  /** The structured result. */
  // deno-lint-ignore no-explicit-any -- tests read fields of many shapes
  async ok(name: string, args: Record<string, unknown> = {}): Promise<any> {
    const answer = await this.client.callTool({ name, arguments: args }, undefined, { timeout: 120_000 });
    const [text] = answer.content as { text?: string }[];
    if (answer.isError) throw new Error(`${name}: ${text?.text}`);
    return answer.structuredContent ?? text?.text;
  }

  /** Settles when the server has ended, which it does by itself if only its client was killed. */
  async kill(victim: Victim): Promise<void> {
    this.#isKilled = true;
    // Kill the server before its client hangs up, because it would then end by itself.
    if (victim !== "client") this.child.kill("SIGKILL");
    if (victim !== "server") await this.#hangUp();
    const late = setTimeout(() => this.child.kill("SIGKILL"), END_MS);
    const { signal } = await this.child.status;
    clearTimeout(late);
    await this.stderr;
    if (victim === "server") await this.#hangUp();
    await this.client.close();
    if (victim === "client" && signal !== null) {
      throw new Error(`The server outlived its client for ${END_MS} ms`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isKilled) await this.kill("both");
  }

  async #hangUp(): Promise<void> {
    this.#stopped.abort();
    // A server that is gone has already closed the pipe.
    await this.#writer.abort().catch(() => {});
  }

  #transport(): NonNullable<Client["transport"]> {
    const transport: NonNullable<Client["transport"]> = {
      start: () => {
        void this.#read(transport);
        return Promise.resolve();
      },
      send: async (message: Message) =>
        await this.#writer.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`)),
      close: () => {
        transport.onclose?.();
        return Promise.resolve();
      },
    };
    return transport;
  }

  async #read(transport: NonNullable<Client["transport"]>): Promise<void> {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    // The stream ends with the server or its client.
    this.child.stdout.pipeTo(writable, { signal: this.#stopped.signal }).catch(() => {});
    try {
      for await (const line of linesOf(readable)) transport.onmessage?.(JSON.parse(line));
    } catch {
      // The server was killed in the middle of a line.
    }
  }
}
