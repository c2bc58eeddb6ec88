// What the published module exports: an MCP server over tmux, composed from its parts.
import type { Options } from "./config.ts";
import { INSTRUCTIONS } from "./server/instructions.ts";
import { Registry } from "./server/registry.ts";
import type { Server } from "./server/sdk.ts";
import { createMcpServer } from "./server/server.ts";
import { createProbe } from "./process/probe.ts";
import { type Libc, LIBC_CANDIDATES, openLibc } from "./process/libc.ts";
import { createExec } from "./tmux/client.ts";
import { openSocketLibc } from "./tmux/libc_socket.ts";
import { socketArguments, spellSocket } from "./tmux/socket_choice.ts";
import { Tmux } from "./tmux/tmux.ts";
import { Supervisor } from "./watch/supervisor.ts";
import { Watches } from "./watch/watches.ts";
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
  const libc = openSystemLibc();
  const supervisor = new Supervisor({
    libc,
    bin: options.tmuxBin,
    maxWorkers: options.maxWorkers,
    maxWatches: options.maxWatches,
  });
  const probe = createProbe(libc);
  const connect = connector(options, env, supervisor);
  const watch = new Watches({
    supervisor,
    probe,
    errorPattern: options.errorPattern,
    errorIgnorePattern: options.errorIgnorePattern,
    cursor: () => Promise.resolve(undefined),
    push: () => {},
  });
  const registry = new Registry(tools, { hosts: [], removedBy: () => undefined });
  const server = createMcpServer({
    version: VERSION,
    instructions: INSTRUCTIONS,
    channel: options.channel,
    services: {
      registry,
      connect: ({ socket }) => connect(socket),
      decide: () => Promise.resolve(),
      tools: { watch, probe },
    },
  });
  return {
    server,
    async close(): Promise<void> {
      await supervisor.close();
      await server.close();
    },
  };
}

/** One Tmux for each socket, made when it is first asked for. */
function connector(
  options: Options,
  env: Readonly<Record<string, string>>,
  supervisor: Supervisor,
): (socket?: string) => Tmux {
  const servers = new Map<string, Tmux>();
  const socketLibc = openSocketLibc(findLibc());
  return (socket = options.socket) => {
    const spelled = spellSocket(socket);
    const known = servers.get(spelled);
    if (known) return known;
    const target = { bin: options.tmuxBin, socketArgs: socketArguments(socket), env };
    const tmux = new Tmux({
      exec: createExec(target, socketLibc),
      target,
      socket: spelled,
      ownClients: () => supervisor.clients(),
      owner: `tmux-mcp:${options.instance}`,
    });
    servers.set(spelled, tmux);
    return tmux;
  };
}

function openSystemLibc(): Libc {
  return openLibc(findLibc());
}

/** The C library's full path: permissions name it so, and a bare name is refused under them. */
function findLibc(): string {
  const candidates = LIBC_CANDIDATES[`${Deno.build.os}-${Deno.build.arch}`] ?? [];
  const found = candidates.find((path) => existsFile(path)) ?? candidates[0];
  if (found === undefined) throw new Error(`No C library is known for ${Deno.build.os}-${Deno.build.arch}`);
  return found;
}

function existsFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
