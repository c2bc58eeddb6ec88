// A private tmux with this server and a real client, and a transcript of their calls.
import { fromFileUrl, join } from "@std/path";
import { Client, type RequestOptions, ServerTransport } from "../../tests/support/sdk.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** Maximum lines of output in the transcript. */
const SHOWN_LINES = 6;

/** Fields that the demo reads from the results of all tools. */
export interface Result {
  sessionId?: string;
  paneId?: string;
  commandId?: string;
  event?: string;
  detail?: string;
  exitCode?: number;
  elapsed?: number;
  output?: string;
  totalLines?: number;
  status?: string;
  nextOffset?: number;
  inputKind?: string;
  waitingForInput?: boolean;
  foregroundCmd?: string;
  evidence?: string;
  sessions?: unknown[];
  paneState?: Result;
}

export class Stage implements AsyncDisposable {
  /** Folder for the demo's programs, and home of everything it starts. */
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly #client = new Client({ name: "tmux-mcp-demo", version: "1" });
  readonly #started = performance.now();

  constructor(folder: string) {
    this.folder = folder;
    this.env = {
      HOME: folder,
      PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
      SHELL: Deno.env.get("SHELL") ?? "/bin/sh",
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
    };
  }

  static async open(): Promise<Stage> {
    const stage = new Stage(await Deno.makeTempDir({ prefix: "tmux-mcp-demo-" }));
    const transport = new ServerTransport({
      command: join(ROOT, "scripts/tmux-mcp"),
      args: ["--socket", join(stage.folder, "tmux.sock")],
      env: stage.env,
      cwd: stage.folder,
      stderr: "inherit",
    });
    await stage.#client.connect(transport);
    const { tools } = await stage.#client.listTools();
    const server = stage.#client.getServerVersion();
    stage.say(`connected to ${server?.name} ${server?.version}: ${tools.length} tools`);
    return stage;
  }

  title(text: string): void {
    print(`\n${text}`);
  }

  say(text: string): void {
    const seconds = (performance.now() - this.#started) / 1000;
    print(`${seconds.toFixed(3).padStart(8)}  ${text}`);
  }

  lines(text: string): void {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    if (lines.length > SHOWN_LINES) print(`          | … ${lines.length - SHOWN_LINES} lines more`);
    for (const line of lines.slice(-SHOWN_LINES)) print(`          | ${line.slice(0, 100)}`);
  }

  /** Calls a tool; an unexpected failure ends the demo. */
  async call(
    name: string,
    args: Record<string, unknown> = {},
    options: RequestOptions = {},
  ): Promise<Result> {
    this.say(`→ ${name} ${JSON.stringify(args)}`);
    const began = performance.now();
    const answer = await this.#client.callTool({ name, arguments: args }, undefined, {
      timeout: 120_000,
      ...options,
    });
    const took = `${(performance.now() - began).toFixed(0)} ms`;
    if (answer.isError) throw new Error(`${name}: ${JSON.stringify(answer.content)}`);
    const { output, ...facts } = (answer.structuredContent ?? {}) as Result;
    this.say(`← ${name} ${brief(facts)} (${took})`);
    if (output !== undefined) this.lines(output);
    return { ...facts, ...(output === undefined ? {} : { output }) };
  }

  /** Runs a tmux command on the private server, as a person at a shell would. */
  async tmux(...args: string[]): Promise<string> {
    const output = await new Deno.Command("tmux", {
      args: ["-u", "-S", join(this.folder, "tmux.sock"), ...args],
      env: this.env,
      clearEnv: true,
    }).output();
    return new TextDecoder().decode(output.stdout);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
    await this.tmux("kill-server");
    await Deno.remove(this.folder, { recursive: true });
  }
}

/** The fields that matter to a reader, in one line. */
function brief(facts: Result): string {
  const { paneState, ...rest } = facts;
  const shown = paneState === undefined
    ? rest
    : { ...rest, inputKind: paneState.inputKind, evidence: paneState.evidence };
  const text = Object.entries(shown)
    .filter(([key, value]) => value !== undefined && !["cursor", "created"].includes(key))
    .map(([key, value]) => `${key}=${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join(" ");
  return text.length > 220 ? `${text.slice(0, 220)}…` : text;
}

export function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

/** Ends the demo if a fact that it shows isn't true. */
export function expect(fact: boolean, what: string): void {
  if (!fact) throw new Error(`Expected ${what}`);
}
