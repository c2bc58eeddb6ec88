// Speaks MCP: answers initialize and hands every request to the part that owns it.
import { type CallServices, runCall, UnknownTool } from "./call.ts";
import type { Effect } from "../tool.ts";
import { progressReporter } from "./progress.ts";
import { Server } from "./protocol_server.ts";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type ServerCapabilities,
} from "./sdk.ts";

export interface ServerOptions {
  version: string;
  instructions: string;
  services: CallServices;
  /** A call begins that may create or remove something. */
  changes(): void;
  /** Such a call has succeeded. */
  changed(): void;
  /** Announces `experimental["claude/channel"]`. */
  channel: boolean;
}

/** What is typed may create something too: that is noticed when the tmux server is looked at next. */
const CHANGING: ReadonlySet<Effect> = new Set(["change", "destroy"]);

/** An MCP server over these services; connect it to a transport to serve. */
export function createMcpServer(options: ServerOptions): Server {
  const { services } = options;
  const capabilities: ServerCapabilities = {
    tools: {},
    resources: { subscribe: true, listChanged: true },
    prompts: {},
    completions: {},
    logging: {},
    ...(options.channel ? { experimental: { "claude/channel": {} } } : {}),
  };
  const server = new Server({
    serverInfo: { name: "tmux-mcp", title: "tmux", version: options.version },
    capabilities,
    instructions: options.instructions,
  });
  server.setRequestHandler(
    ListToolsRequestSchema,
    () => ({ tools: services.registry.visible().map((entry) => entry.wire) }),
  );
  server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
    const { name, arguments: args = {} } = request.params;
    const progress = progressReporter(request.params._meta?.progressToken, extra);
    try {
      const call = { name, args, signal: extra.signal, ...(progress && { progress }) };
      const isChange = CHANGING.has(services.registry.find(name)?.tool.effect ?? "read");
      if (isChange) options.changes();
      const result = await runCall(call, services);
      if (isChange) options.changed();
      return result;
    } catch (error) {
      if (error instanceof UnknownTool) throw new McpError(ErrorCode.InvalidParams, error.message);
      throw error;
    }
  });
  return server;
}
