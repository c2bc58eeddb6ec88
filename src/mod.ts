/**
 * An MCP server over tmux: compose one with {@linkcode createServer}, connect it to a transport, close it. Programs that
 * drive tmux themselves use {@linkcode connectTmux}, which `@tmux-mcp/server/connection` exports without the server.
 * docs/library.md has programs to start from, with the flags they need.
 * @module
 */
import { ComposedServer, type TmuxMcp, type TmuxMcpOptions } from "./composed_server.ts";
import { VERSION } from "./version.ts";

export * from "./connection/connect.ts";
export type { TmuxMcp, TmuxMcpOptions };
export type { Host, Options, ToolFilter } from "./config.ts";
export type { Transport } from "./server/sdk.ts";
export { loadMasks, type Masks } from "./masking/masks.ts";
export { StdioTransport } from "./server/transport/stdio_transport.ts";
export { VERSION };

/**
 * Composes a server; nothing runs before it is connected.
 * @throws {AppError} when the audit log cannot be written, or the C library not be loaded
 * @throws {ConfigError} for an option that does not exist or whose value is not valid
 */
export function createServer(options: TmuxMcpOptions): TmuxMcp {
  return new ComposedServer(options);
}
