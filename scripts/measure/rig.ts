// A private tmux, a server on it and a real client, on which every measurement runs.
import { dirname, join } from "@std/path";
import { Client, ServerTransport } from "../../tests/support/sdk.ts";
import { runTmux } from "../../tests/support/world.ts";
import type { Adapter, Operation } from "./adapter.ts";

export class Rig implements AsyncDisposable {
  readonly folder: string;
  readonly socket: string;
  readonly adapter: Adapter;
  readonly env: Record<string, string>;
  #client: Client | undefined;
  #tools: ReadonlySet<string> = new Set();
  #serverPid = 0;
  #fifos = 0;

  constructor(folder: string, adapter: Adapter) {
    this.folder = folder;
    // The default socket of this TMUX_TMPDIR, for servers without an option for it.
    this.socket = join(folder, `tmux-${Deno.uid()}`, "default");
    this.adapter = adapter;
    this.env = {
      HOME: folder,
      PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
      SHELL: "/bin/bash",
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      TMUX_TMPDIR: folder,
      // No history, so that a shell that ends writes nothing while the folder is removed.
      HISTFILE: "",
    };
  }

  static async open(adapter: Adapter): Promise<Rig> {
    const rig = new Rig(await Deno.makeTempDir({ prefix: "tmux-mcp-bench-" }), adapter);
    await Deno.mkdir(dirname(rig.socket), { mode: 0o700 });
    await rig.tmux("new-session", "-d", "-s", "bench", "-x", "200", "-y", "50");
    await rig.restart();
    return rig;
  }

  /** Restarts the server; returns the time until it had initialized. */
  async restart(args: readonly string[] = this.adapter.args(this.socket)): Promise<number> {
    await this.#client?.close();
    const began = performance.now();
    const { client, pid } = await this.start({ args });
    const took = performance.now() - began;
    this.#client = client;
    this.#serverPid = pid;
    this.#tools = new Set((await client.listTools()).tools.map((tool) => tool.name));
    return took;
  }

  /** Starts another server, whose client the caller closes. */
  async start(
    { adapter = this.adapter, args = adapter.args(this.socket) }: {
      adapter?: Adapter;
      args?: readonly string[];
    } = {},
  ): Promise<{ client: Client; pid: number }> {
    const transport = new ServerTransport({
      command: adapter.command,
      args: [...args],
      env: { ...this.env, ...adapter.env(this.socket) },
      cwd: this.folder,
      stderr: "ignore",
    });
    const client = new Client({ name: "tmux-mcp-bench", version: "1" });
    await client.connect(transport);
    return { client, pid: transport.pid ?? 0 };
  }

  /** Pid of the server, which is the launcher's. */
  get serverPid(): number {
    return this.#serverPid;
  }

  has(operation: Operation | undefined): operation is Operation {
    return operation !== undefined && this.#tools.has(operation.tool);
  }

  /** Bytes of JSON that a client receives before any work: in total, and the part that the model sees. */
  async sizes(): Promise<{ all: number; shown: number; instructions: number }> {
    const client = this.#connected();
    const { tools } = await client.listTools();
    const shown = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    const bytes = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;
    return {
      all: bytes({ tools }),
      shown: bytes(shown),
      instructions: bytes(client.getInstructions() ?? ""),
    };
  }

  async ping(): Promise<void> {
    await this.#connected().ping();
  }

  /** Calls a tool; returns the time at which the answer came. */
  async call(operation: Operation): Promise<number> {
    const { content, isError, at } = await this.#call(operation);
    if (isError) throw new Error(`${operation.tool}: ${content}`);
    return at;
  }

  /** Calls a tool; returns the bytes that a model writes and reads for it, also for an error. */
  async weigh({ tool, args }: Operation): Promise<number> {
    const { content } = await this.#call({ tool, args });
    return new TextEncoder().encode(JSON.stringify({ name: tool, arguments: args }) + content).length;
  }

  async #call({ tool, args }: Operation): Promise<{ content: string; isError: boolean; at: number }> {
    const answer = await this.#connected().callTool({ name: tool, arguments: args }, undefined, {
      timeout: 120_000,
    });
    const at = performance.now();
    return { content: JSON.stringify(answer.content), isError: answer.isError === true, at };
  }

  async tmux(...args: string[]): Promise<string> {
    return (await runTmux(["-S", this.socket, ...args], this)).trim();
  }

  /** Opens a pane that runs a shell or this command; returns it with its terminal. */
  async openPane(...command: string[]): Promise<{ pane: string; tty: string }> {
    const format = "#{pane_id} #{pane_tty}";
    const line = await this.tmux("new-window", "-d", "-P", "-F", format, "-t", "bench:", ...command);
    const [pane = "", tty = ""] = line.split(" ");
    return { pane, tty };
  }

  /** Opens many panes that run a command, `each` of them per session. */
  async openPanes(count: number, command: string, each = 10): Promise<{ pane: string; tty: string }[]> {
    const opened: { pane: string; tty: string }[] = [];
    while (opened.length < count) {
      const left = Math.min(each, count - opened.length);
      // tmux doesn't rename windows with a name; otherwise that work would be measured too.
      const listed = ["-n", "quiet", "-P", "-F", "#{pane_id} #{pane_tty}"];
      const first = ["new-session", "-d", ...listed, "-x", "200", "-y", "50", command];
      const more = Array.from({ length: left - 1 }, () => [";", "new-window", "-d", ...listed, command]);
      const lines = await this.tmux(...first, ...more.flat());
      for (const line of lines.split("\n")) {
        const [pane = "", tty = ""] = line.split(" ");
        opened.push({ pane, tty });
      }
    }
    return opened;
  }

  /** Ends every pane except those of the first session. */
  async clear(): Promise<void> {
    await this.tmux("kill-session", "-a", "-t", "=bench");
  }

  /** Settles when the number of tmux's control clients hasn't changed for a second: every watch has begun. */
  async armed(): Promise<void> {
    const count = async (): Promise<number> =>
      (await this.tmux("list-clients", "-F", "#{client_pid}")).split("\n").length;
    let before = -1;
    let now = await count();
    while (now !== before) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      before = now;
      now = await count();
    }
  }

  /** Creates a named pipe on which a program in a pane waits, so that the moment it continues is known. */
  async makeGate(): Promise<{ path: string; open(): Promise<number> }> {
    const path = join(this.folder, `gate-${this.#fifos++}`);
    await new Deno.Command("mkfifo", { args: [path] }).output();
    return {
      path,
      async open(): Promise<number> {
        const at = performance.now();
        await Deno.writeTextFile(path, "go\n");
        return at;
      },
    };
  }

  #connected(): Client {
    if (this.#client === undefined) throw new Error("Not connected");
    return this.#client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client?.close();
    await this.tmux("kill-server").catch(() => {});
    await Deno.remove(this.folder, { recursive: true });
  }
}
