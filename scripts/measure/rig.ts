// A private tmux, a server on it and a real client: what every measurement runs on.
import { dirname, join } from "@std/path";
import { Client, ServerTransport } from "../../tests/support/sdk.ts";
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
    // The default socket of this TMUX_TMPDIR, for servers that can't be told of another.
    this.socket = join(folder, `tmux-${Deno.uid()}`, "default");
    this.adapter = adapter;
    this.env = {
      HOME: folder,
      PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
      SHELL: "/bin/bash",
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      TMUX_TMPDIR: folder,
      // A shell that ends keeps none, and so writes nothing while the folder is removed.
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

  /** Starts the server again; returns how long that took until it had initialized. */
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

  /** The process of the server; the launcher has become it. */
  get serverPid(): number {
    return this.#serverPid;
  }

  has(operation: Operation | undefined): operation is Operation {
    return operation !== undefined && this.#tools.has(operation.tool);
  }

  /** Bytes of JSON that a client receives before any work: all of it, and the part that a model is shown. */
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

  /** Calls a tool; returns the time it came back. */
  async call(operation: Operation): Promise<number> {
    const { content, isError, at } = await this.#call(operation);
    if (isError) throw new Error(`${operation.tool}: ${content}`);
    return at;
  }

  /** Calls a tool; returns how many bytes a model writes for it and reads of it, an error's too. */
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
    const { success, stdout, stderr } = await new Deno.Command("tmux", {
      args: ["-u", "-f", "/dev/null", "-S", this.socket, ...args],
      env: this.env,
      clearEnv: true,
      cwd: this.folder,
    }).output();
    if (!success) throw new Error(`tmux ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
    return new TextDecoder().decode(stdout).trim();
  }

  /** A pane of its own with its terminal, running a shell or this command. */
  async openPane(...command: string[]): Promise<{ pane: string; tty: string }> {
    const format = "#{pane_id} #{pane_tty}";
    const line = await this.tmux("new-window", "-d", "-P", "-F", format, "-t", "bench:", ...command);
    const [pane = "", tty = ""] = line.split(" ");
    return { pane, tty };
  }

  /** Many panes that run a command, `each` of them to a session. */
  async openPanes(count: number, command: string, each = 10): Promise<{ pane: string; tty: string }[]> {
    const opened: { pane: string; tty: string }[] = [];
    while (opened.length < count) {
      const left = Math.min(each, count - opened.length);
      // Windows with a name are not renamed by tmux, whose work would be measured too.
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

  /** Ends every pane but those of the first session. */
  async clear(): Promise<void> {
    await this.tmux("kill-session", "-a", "-t", "=bench");
  }

  /** Settles when tmux's control clients are as many as before for a second: every watch has begun. */
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

  /** A named pipe that a program in a pane waits on, so that what follows has a known start. */
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
