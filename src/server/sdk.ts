// The only module that imports the MCP SDK. The types of its `./*` export don't resolve, so each import names them.

// @ts-types="npm:@modelcontextprotocol/sdk@^1.32.2/shared/protocol"
export { Protocol } from "@modelcontextprotocol/sdk/shared/protocol.js";
// @ts-types="npm:@modelcontextprotocol/sdk@^1.32.2/shared/transport"
export type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
// @ts-types="npm:@modelcontextprotocol/sdk@^1.32.2/types"
export {
  CallToolRequestSchema,
  type ClientCapabilities,
  CompleteRequestSchema,
  ElicitResultSchema,
  ErrorCode,
  GetPromptRequestSchema,
  type Implementation,
  InitializedNotificationSchema,
  InitializeRequestSchema,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  JSONRPCNotificationSchema,
  JSONRPCRequestSchema,
  LATEST_PROTOCOL_VERSION,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  type LoggingLevel,
  McpError,
  type MessageExtraInfo,
  type Notification,
  ReadResourceRequestSchema,
  type Request,
  type Result,
  type ServerCapabilities,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
