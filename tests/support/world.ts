// A private tmux server and real MCP clients over stdio. All of them end with the scope.
import { fromFileUrl, join } from "@std/path";
import { handledLater } from "../../src/promises.ts";
import { isAtLeast } from "../../src/tmux_exec/version.ts";
import { PATH } from "./path.ts";
import { removeFolder } from "./remove_folder.ts";
import { Client, type ClientCapabilities, type RequestOptions, ServerTransport } from "./sdk.ts";
import { until } from "./until.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

export interface CallAnswer {
  content: { type: string; text?: string; data?: string; mimeType?: string }[];
  // deno-lint-ignore no-explicit-any -- tests read fields of many shapes
  structuredContent?: any;
  isError?: boolean;
  _meta?: { "tmux-mcp/error"?: { code: string; hint?: string; retryable: boolean } };
}

/** Client with which tests call tools and read results. */
export class TestClient {
  readonly client: Client;
  readonly transport: ServerTransport;
  /** Stderr of the server so far. */
  stderr = "";

  constructor(client: Client, transport: ServerTransport) {
    this.client = client;
    this.transport = transport;
    transport.stderr?.on("data", (chunk: Uint8Array) => this.stderr += new TextDecoder().decode(chunk));
  }

  call(
    name: string,
    args: Record<string, unknown> = {},
    options: RequestOptions = {},
  ): Promise<CallAnswer> {
    return ownFailure(this.#call(name, args, options));
  }

  async #call(
    name: string,
    args: Record<string, unknown>,
    options: RequestOptions,
  ): Promise<CallAnswer> {
    const answer = this.client.callTool({ name, arguments: args }, undefined, {
      timeout: 120_000,
      ...options,
    });
    return await answer.catch((error: Error) => {
      if (error.message.endsWith("Connection closed")) error.message += `; stderr: ${this.stderr || "empty"}`;
      throw error;
    }) as CallAnswer;
  }

  /**
   * The structured result.
   * @throws with the error's text if the call failed
   */
  // deno-lint-ignore no-explicit-any -- tests read fields of many shapes
  ok(name: string, args: Record<string, unknown> = {}, options: RequestOptions = {}): Promise<any> {
    return ownFailure(this.#ok(name, args, options));
  }

  // deno-lint-ignore no-explicit-any -- tests read fields of many shapes
  async #ok(name: string, args: Record<string, unknown>, options: RequestOptions): Promise<any> {
    const answer = await this.call(name, args, options);
    if (answer.isError) throw new Error(`${name}: ${answer.content[0]?.text}`);
    return answer.structuredContent ?? answer.content[0]?.text;
  }

  /** Settles when the server has a running watch. */
  async untilWatching(): Promise<void> {
    await until(async () => (await this.ok("watch-events", { limit: 0 })).active.length > 0);
  }

  /** Result of a command once it is over, or time is up. */
  // deno-lint-ignore no-explicit-any -- fields of many shapes
  async commandResult(commandId: string, waitSeconds = 20): Promise<any> {
    return await this.ok("get-command-result", { commandId, waitSeconds, onInput: "wait", fold: false });
  }

  /**
   * Begins a command, and returns its result once it is over, asks, or this time has passed. A short `timeout` would
   * limit its start too, and a busy machine takes more than a second for that.
   */
  // deno-lint-ignore no-explicit-any -- fields of many shapes
  async begin(args: Record<string, unknown>, waitSeconds: number): Promise<any> {
    const { commandId } = await this.ok("execute-command", { ...args, background: true });
    return await this.ok("get-command-result", { commandId, waitSeconds });
  }

  /** Ends the server as a crash would, and its client with it. */
  async kill(): Promise<void> {
    Deno.kill(this.transport.pid!, "SIGKILL");
    await this.client.close();
  }

  /** The error of a call that must fail. */
  fails(
    name: string,
    args: Record<string, unknown> = {},
  ): Promise<{ code: string; text: string; hint?: string }> {
    return ownFailure(this.#fails(name, args));
  }

  async #fails(
    name: string,
    args: Record<string, unknown>,
  ): Promise<{ code: string; text: string; hint?: string }> {
    const answer = await this.call(name, args);
    if (!answer.isError) throw new Error(`${name} succeeded: ${JSON.stringify(answer.structuredContent)}`);
    const error = answer._meta?.["tmux-mcp/error"];
    return {
      code: error?.code ?? "none",
      text: answer.content[0]?.text ?? "",
      ...(error?.hint ? { hint: error.hint } : {}),
    };
  }
}

export interface ServeOptions {
  /** Command that starts the server; default: the launcher. */
  command?: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  cwd?: string;
}

/** Capabilities of a client other than calling tools. */
export interface ClientOptions {
  capabilities?: ClientCapabilities;
  /** Sets its handlers before it connects. */
  prepare?(client: Client): void;
}

/** A temporary folder with a tmux socket, and the clients started on it. */
export class World implements AsyncDisposable {
  readonly folder: string;
  readonly socket: string;
  /**
   * Environment of every tmux client and server in this world, without anything from the developer's own
   * session.
   */
  readonly env: Record<string, string>;
  readonly #clients: TestClient[] = [];

  constructor(folder: string) {
    this.folder = folder;
    this.socket = join(folder, "tmux.sock");
    this.env = {
      HOME: folder,
      PATH,
      SHELL: "/bin/bash",
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      TMUX_TMPDIR: folder,
      ...passedOn("TMUX_MCP_TMUX_PROTOCOL"),
    };
  }

  static async create(): Promise<World> {
    const folder = await Deno.makeTempDir({ prefix: "tmux-mcp-test-" });
    await keepFishFromManuals(folder);
    return new World(folder);
  }

  /** Runs tmux itself on the private socket, as a person at a shell would. */
  async tmux(...args: string[]): Promise<string> {
    return await runTmux(["-S", this.socket, ...args], this);
  }

  /** True if the tmux under test is at least this version. */
  async isTmux(major: number, minor: number): Promise<boolean> {
    return isAtLeast(await this.tmux("-V"), major, minor);
  }

  /** False where control clients can crash tmux: the server reads panes through their pipes there. */
  async attaches(): Promise<boolean> {
    return await this.isTmux(3, Deno.env.get("TMUX_MCP_TMUX_PROTOCOL") === "false" ? 6 : 3);
  }

  /** Readers of panes by this project's servers: control clients that take output, and pipes. */
  async readers(): Promise<string[]> {
    const listed = await this.tmux(...inOneLine([
      ["list-clients", "-F", "#{client_name} #{client_flags}"],
      ["list-panes", "-a", "-F", "#{?pane_pipe,#{pane_id},}"],
    ]));
    return listed.split("\n").filter((row) => row.includes("pause-after") || row.startsWith("%"));
  }

  /** Starts this project's server as clients do, under the launcher's permissions, and connects to it; every tool is in scope unless `args` say. */
  async serve(
    { command, args = [], env = {}, cwd }: ServeOptions = {},
    { capabilities = {}, prepare }: ClientOptions = {},
  ): Promise<TestClient> {
    const scope = args.includes("--scope") ? [] : ["--scope", "all"];
    const transport = new ServerTransport({
      command: command ?? join(ROOT, "scripts/tmux-mcp"),
      args: command === undefined ? ["--socket", this.socket, ...scope, ...args] : [...args],
      env: { ...this.env, ...env },
      cwd: cwd ?? this.folder,
      stderr: "pipe",
    });
    const client = new Client({ name: "tmux-mcp-tests", version: "1" }, { capabilities });
    prepare?.(client);
    const test = new TestClient(client, transport);
    await client.connect(transport);
    this.#clients.push(test);
    return test;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { client } of this.#clients) await client.close();
    await this.tmux("kill-server").catch(() => {});
    // Shells that end may still write their history to it.
    await removeFolder(this.folder);
  }
}

/**
 * At its first start in a home folder fish reads every manual page, which takes 10 s of CPU and continues after its pane
 * and its world are gone, unless it finds the folder that the result goes to.
 */
export async function keepFishFromManuals(home: string): Promise<void> {
  await Deno.mkdir(join(home, ".local/share/fish/generated_completions"), { recursive: true });
}

/**
 * Runs tmux without a configuration file, and returns what it prints.
 * @throws with its message if it fails
 */
export async function runTmux(
  args: readonly string[],
  { env, folder: cwd }: { env: Readonly<Record<string, string>>; folder: string },
): Promise<string> {
  const tmux = new Deno.Command("tmux", {
    args: ["-u", "-f", "/dev/null", ...args],
    ...{ env, clearEnv: true, cwd, stdin: "null" },
  });
  const { success, stdout, stderr } = await tmux.output();
  if (!success) throw new Error(`tmux ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

/** True once a world's tmux has ended. */
export async function isTmuxGone(world: Pick<World, "tmux">): Promise<boolean> {
  return await world.tmux("list-sessions").then(
    () => false,
    ({ message }: Error) => /no server running|error connecting/.test(message),
  );
}

/** Arguments with which tmux runs several commands: each start of it costs 5 ms of CPU. */
export function inOneLine(commands: readonly (readonly string[])[]): string[] {
  return commands.flatMap((command, index) => index === 0 ? command : [";", ...command]);
}

/** A test that fails while a call is going on reports its own failure, and not that the call's connection closed. */
function ownFailure<T>(call: Promise<T>): Promise<T> {
  handledLater(call);
  return call;
}

/** A setting of the whole run, such as one with tmux's own protocol off. */
function passedOn(variable: string): Record<string, string> {
  const value = Deno.env.get(variable);
  return value === undefined ? {} : { [variable]: value };
}
