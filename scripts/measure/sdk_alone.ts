// A minimal MCP server over stdio: the floor for a cold start and for memory.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

await new Server({ name: "floor", version: "1" }, { capabilities: {} }).connect(new StdioServerTransport());
