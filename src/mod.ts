/**
 * An MCP server over tmux: compose one with {@linkcode createServer}, connect it to a transport, close it. Programs that
 * drive tmux themselves use {@linkcode connectTmux}, which `@tmux-mcp/server/connection` exports without the server.
 * docs/library.md has programs to start from, with the flags they need.
 * @module
 */
import { ComposedServer, type TmuxMcp } from "./composed_server.ts";
import type { TmuxMcpOptions } from "./server_options.ts";
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
 * @throws {AppError} if the audit log can't be written, or the C library can't be loaded
 * @throws {ConfigError} for an unknown option or an invalid value
 */
export function createServer(options: TmuxMcpOptions): TmuxMcp {
  return new ComposedServer(options);
}
