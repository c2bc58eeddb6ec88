// The official client library of MCP 2026-07-28, connected to this project's server.
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { LAUNCHER } from "./launched.ts";
import type { World } from "./world.ts";

/** Starts the server once a client connects; the server ends when the client closes. */
export function officialTransport(world: World, args: readonly string[] = []): StdioClientTransport {
  return new StdioClientTransport({
    command: LAUNCHER,
    args: ["--socket", world.socket, ...args],
    env: world.env,
    cwd: world.folder,
    stderr: "ignore",
  });
}

/** Defines a test with that client, which leaves timers behind when it closes. */
export function testOfficial(name: string, fn: (t: Deno.TestContext) => Promise<void>): void {
  Deno.test({ name, fn, sanitizeOps: false, sanitizeResources: false });
}
