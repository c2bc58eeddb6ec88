// The least an MCP server over stdio imports: the floor under a cold start.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

new Server({ name: "floor", version: "1" }, { capabilities: {} });
new StdioServerTransport();
