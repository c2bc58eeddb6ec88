// What the published module exports: an MCP server over tmux, composed from its parts.
import type { Options } from "./config.ts";
import { INSTRUCTIONS } from "./server/instructions.ts";
import { Registry } from "./server/registry.ts";
import type { Server } from "./server/sdk.ts";
import { createMcpServer } from "./server/server.ts";
import { createProcessExec } from "./tmux/process.ts";
import { socketArguments, spellSocket } from "./tmux/socket_choice.ts";
import { Tmux } from "./tmux/tmux.ts";
import { tools } from "./tools/all.ts";
import denoJson from "../deno.json" with { type: "json" };

export { StdioTransport } from "./server/transport.ts";

/** This package's version. */
export const VERSION: string = denoJson.version;

export interface TmuxMcpOptions {
  options: Options;
  /** The environment tmux clients are run with, and nothing else. */
  env: Readonly<Record<string, string>>;
}

/** A composed server: connect it to a transport, close it to end every worker and tmux client of its own. */
export interface TmuxMcp {
  server: Server;
  close(): Promise<void>;
}

export function createServer({ options, env }: TmuxMcpOptions): TmuxMcp {
  const servers = new Map<string, Tmux>();
  const connect = (socket: string | undefined = options.socket): Tmux => {
    const spelled = spellSocket(socket);
    const known = servers.get(spelled);
    if (known) return known;
    const tmux = new Tmux({
      exec: createProcessExec({ bin: options.tmuxBin, socketArgs: socketArguments(socket), env }),
      socket: spelled,
      ownClients: () => new Set(),
      owner: `tmux-mcp:${options.instance}`,
    });
    servers.set(spelled, tmux);
    return tmux;
  };
  const registry = new Registry(tools, { hosts: [], removedBy: () => undefined });
  const server = createMcpServer({
    version: VERSION,
    instructions: INSTRUCTIONS,
    channel: options.channel,
    services: {
      registry,
      connect: ({ socket }) => connect(socket),
      decide: () => Promise.resolve(),
    },
  });
  return {
    server,
    async close(): Promise<void> {
      await server.close();
    },
  };
}
