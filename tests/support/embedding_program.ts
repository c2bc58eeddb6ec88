// A program with a server in it: runs a command that does not end, closes the server, and has nothing left to do.
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { createServer } from "../../src/mod.ts";
import { Client } from "./sdk.ts";

const [socket = "", command = ""] = Deno.args;
const server = createServer({ options: { socket }, env: Deno.env.toObject(), cwd: Deno.cwd() });
const [here, there] = InMemoryTransport.createLinkedPair();
await server.connect(there);
const client = new Client({ name: "embedding", version: "1" });
await client.connect(here);
const call = async (name: string, args: Record<string, unknown>) =>
  (await client.callTool({ name, arguments: args })).structuredContent as Record<string, unknown>;
const { paneId } = await call("create-session", { name: "embedded", command: "bash --norc" });
// A timeout would limit the start too.
const { status } = await call("execute-command", { paneId, command, background: true });
await Deno.stdout.write(new TextEncoder().encode(`${status}\n`));
await server.close();
