// Measures clients of 2026-07-28: time to their first answer, and time until a task shows its event.
import { ServerTransport } from "../../tests/support/sdk.ts";
import { delay, type Measure, repeat } from "./measure.ts";
import type { Rig } from "./rig.ts";
import type { Reading } from "./statistics.ts";

interface Answer {
  id?: string | number;
  // deno-lint-ignore no-explicit-any -- results of many shapes
  result?: any;
  error?: { message: string };
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "tmux-mcp-bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
};
/** Pause between two polls of a task. */
const POLL_MS = 1;

/** Client that sends one request at a time. */
class ModernClient implements AsyncDisposable {
  readonly #transport: ServerTransport;
  #answered: (answer: Answer) => void = () => {};
  #count = 0;

  private constructor(transport: ServerTransport) {
    this.#transport = transport;
    transport.onmessage = (message) => {
      if (!("method" in message)) this.#answered(message as Answer);
    };
  }

  static async start({ adapter, socket, env, folder }: Rig): Promise<ModernClient> {
    const { command } = adapter;
    const client = new ModernClient(
      new ServerTransport({
        command,
        args: adapter.args(socket),
        env: { ...env, ...adapter.env(socket) },
        cwd: folder,
        stderr: "ignore",
      }),
    );
    await client.#transport.start();
    return client;
  }

  /**
   * @throws {Error} with the server's message if it refuses
   */
  async ask(method: string, params: Record<string, unknown> = {}): Promise<NonNullable<Answer["result"]>> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#answered = resolve;
    await this.#transport.send({
      jsonrpc: "2.0",
      id: ++this.#count,
      method,
      params: { ...params, _meta: META },
    });
    const { result, error } = await promise;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport.close();
  }
}

export const modern: Measure = async (rig, runs) => {
  if (rig.adapter.isModern !== true) return [];
  return [...await coldStart(rig, runs), ...await taskLatency(rig, runs)];
};

async function coldStart(rig: Rig, runs: number): Promise<Reading[]> {
  const discovered: number[] = [];
  const called: number[] = [];
  for (let run = 0; run < runs; run++) {
    const began = performance.now();
    await using client = await ModernClient.start(rig);
    await client.ask("server/discover");
    discovered.push(performance.now() - began);
    await client.ask("tools/call", { name: "list-panes", arguments: {} });
    called.push(performance.now() - began);
  }
  return [
    { name: "cold start to server/discover", samples: discovered },
    { name: "  to the answer of a first call after it", samples: called },
  ];
}

/** Time from the byte reaching the terminal to the task's status `completed`. */
async function taskLatency(rig: Rig, runs: number): Promise<Reading[]> {
  const { pane, tty } = await rig.openPane("cat");
  const operation = rig.adapter.watch?.(pane, "pattern:ready", "quick");
  if (operation === undefined) return [];
  await using client = await ModernClient.start(rig);
  const samples = await repeat(runs, async () => {
    const { taskId } = await client.ask("tools/call", { name: operation.tool, arguments: operation.args });
    const began = performance.now();
    await Deno.writeTextFile(tty, "ready\r\n");
    while ((await client.ask("tasks/get", { taskId })).status === "working") await delay(POLL_MS);
    return performance.now() - began;
  });
  return [{ name: "a line printed to a task that shows it", samples, note: "goal 50" }];
}
