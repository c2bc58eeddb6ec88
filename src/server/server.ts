// Speaks MCP: answers initialize and hands every request to the part that owns it.
import { type CallServices, runCall, UnknownTool } from "./call.ts";
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
  /** Announces `experimental["claude/channel"]`. */
  channel: boolean;
}

/** An MCP server over these services; connect it to a transport to serve. */
export function createMcpServer(options: ServerOptions): Server {
  const { services } = options;
  const capabilities: ServerCapabilities = {
    tools: {},
    resources: { subscribe: true, listChanged: true },
    prompts: {},
    completions: {},
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
      return await runCall({ name, args, signal: extra.signal, ...(progress && { progress }) }, services);
    } catch (error) {
      if (error instanceof UnknownTool) throw new McpError(ErrorCode.InvalidParams, error.message);
      throw error;
    }
  });
  return server;
}
