// The MCP client side of the SDK, typed.
import type { ChildProcess } from "node:child_process";

// @ts-types="npm:@modelcontextprotocol/sdk@^1.32.2/client"
export { Client } from "@modelcontextprotocol/sdk/client/index.js";
// @ts-types="npm:@modelcontextprotocol/sdk@^1.32.2/client/stdio"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
// @ts-types="npm:@modelcontextprotocol/sdk@^1.32.2/shared/protocol"
export type { RequestOptions } from "@modelcontextprotocol/sdk/shared/protocol.js";
// @ts-types="npm:@modelcontextprotocol/sdk@^1.32.2/types"
export {
  CallToolResultSchema,
  type ClientCapabilities,
  CompleteResultSchema,
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  McpError,
  type Notification,
  ProgressNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";

/** The SDK's own close leaves a timer of 2 s behind, which the sanitizer of each test reports: the server ends first. */
export class ServerTransport extends StdioClientTransport {
  override async close(): Promise<void> {
    const server: ChildProcess | undefined = this["_process"];
    if (server !== undefined) await endInput(server, 20_000);
    await super.close();
  }
}

async function endInput(server: ChildProcess, timeoutMs: number): Promise<void> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const deadline = setTimeout(resolve, timeoutMs);
  server.once("close", () => resolve());
  server.stdin?.end();
  await ended;
  clearTimeout(deadline);
}
