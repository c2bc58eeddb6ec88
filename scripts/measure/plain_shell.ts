// A server with the shell tool that most agents have, as a peer to measure beside: scripts/bench --peer=scripts/measure/plain_shell.ts workflows
import { createInterface } from "node:readline";
import { stdin } from "node:process";
import { fromFileUrl } from "@std/path";
import { type Adapter, FAILING_TESTS, type Operation } from "./adapter.ts";

const RUN = ["run", "-A", "--quiet", "--cached-only", fromFileUrl(import.meta.url)];

const bash = (command: string): Operation => ({ tool: "bash", args: { command } });

const adapter: Adapter = {
  name: "plain shell tool",
  command: Deno.execPath(),
  args: () => RUN,
  defaultArgs: () => RUN,
  env: () => ({}),
  primitives: {},
  execute: (_pane, command) => bash(command),
  workflows: {
    "run a command": () => [bash("seq 1 20")],
    "run a command that fails": () => [bash("ls /nowhere")],
    "run true": () => [bash("true")],
    "run 5,000 tests, of which 8 fail": () => [bash(FAILING_TESTS)],
    // This server can only be polled.
    "start a server, wait until it is ready": () => [
      bash(`{ echo listening; sleep 1; } >"$TMUX_TMPDIR/server.log" 2>&1 & echo $!`),
      bash(`sleep 0.2; cat "$TMUX_TMPDIR/server.log"`),
    ],
  },
};

export default adapter;

/** The output of a command and its exit code, as one text. */
async function run(command: string): Promise<string> {
  const child = new Deno.Command("bash", { args: ["-c", `exec 2>&1; ${command}`], stdin: "null" });
  const { stdout, code } = await child.output();
  return `${new TextDecoder().decode(stdout)}${code === 0 ? "" : `Exit code ${code}`}`;
}

async function answer(method: string, params: { arguments: { command: string } }): Promise<unknown> {
  if (method === "initialize") {
    const serverInfo = { name: "plain-shell", version: "1" };
    return { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo };
  }
  if (method === "tools/list") return { tools: [{ name: "bash", inputSchema: { type: "object" } }] };
  return { content: [{ type: "text", text: await run(params.arguments.command) }] };
}

if (import.meta.main) {
  for await (const line of createInterface({ input: stdin })) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    const message = JSON.stringify({ jsonrpc: "2.0", id, result: await answer(method, params) });
    Deno.stdout.writeSync(new TextEncoder().encode(`${message}\n`));
  }
}
