// The MCP client side of the SDK, typed.

// @ts-types="npm:@modelcontextprotocol/sdk@^1.32.2/client"
export { Client } from "@modelcontextprotocol/sdk/client/index.js";
// @ts-types="npm:@modelcontextprotocol/sdk@^1.32.2/client/stdio"
export { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
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
