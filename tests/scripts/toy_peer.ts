// A minimal peer: a server over stdio that lists sessions and reads panes, each by starting tmux.
import { createInterface } from "node:readline";
import { stdin } from "node:process";

const COMMANDS: Readonly<Record<string, (args: Record<string, string>) => string[]>> = {
  sessions: () => ["list-sessions"],
  read: ({ target = "" }) => ["capture-pane", "-p", "-t", target],
};

async function answer(method: string, params: { name: string; arguments: Record<string, string> }) {
  if (method === "initialize") {
    const serverInfo = { name: "toy-peer", version: "1" };
    return { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo };
  }
  if (method === "tools/list") {
    return { tools: Object.keys(COMMANDS).map((name) => ({ name, inputSchema: { type: "object" } })) };
  }
  const args = COMMANDS[params.name]!(params.arguments);
  const { stdout, success } = await new Deno.Command("tmux", { args }).output();
  return { content: [{ type: "text", text: new TextDecoder().decode(stdout) }], isError: !success };
}

for await (const line of createInterface({ input: stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const message = JSON.stringify({ jsonrpc: "2.0", id, result: await answer(method, params) });
  Deno.stdout.writeSync(new TextEncoder().encode(`${message}\n`));
}
