// What the published module exports: an MCP server over tmux, composed from its parts.
import type { Options } from "./config.ts";
import { instructionsFor } from "./server/instructions.ts";
import { Channel } from "./server/channel.ts";
import { Registry } from "./server/registry.ts";
import type { Server } from "./server/sdk.ts";
import { createMcpServer } from "./server/server.ts";
import { readAncestry } from "./process/ancestry.ts";
import { createProbe } from "./process/probe.ts";
import { type Libc, LIBC_CANDIDATES, openLibc } from "./process/libc.ts";
import type { Caller } from "./tmux/caller.ts";
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
  const connect = connector({ options, env, libc, ownClients: () => supervisor.clients() });
  const watch = new Watches({
    supervisor,
    probe,
    errorPattern: options.errorPattern,
    errorIgnorePattern: options.errorIgnorePattern,
    cursor: () => Promise.resolve(undefined),
    push: (event) => channel?.push(event),
  });
  const registry = new Registry(tools, { hosts: [], removedBy: () => undefined });
  const server = createMcpServer({
    version: VERSION,
    instructions: instructionsFor(new Set(registry.visible().map(({ tool }) => tool.name)), options.channel),
    channel: options.channel,
    services: {
      registry,
      connect: ({ socket }) => connect(socket),
      decide: () => Promise.resolve(),
      tools: { watch, probe },
    },
  });
  const channel = options.channel
    ? new Channel((notification) => void server.notification(notification).catch(() => {}))
    : undefined;
  return {
    server,
    async close(): Promise<void> {
      channel?.close();
      await supervisor.close();
      await server.close();
    },
  };
}

/** One Tmux for each socket, made when it is first asked for. */
function connector({ options, env, libc, ownClients }: TmuxMcpOptions & {
  libc: Libc;
  ownClients(): ReadonlySet<number>;
}): (socket?: string) => Tmux {
  const servers = new Map<string, Tmux>();
  const socketLibc = openSocketLibc(libc.path);
  const caller = readCaller(libc, env);
  return (socket = options.socket) => {
    const spelled = spellSocket(socket);
    const known = servers.get(spelled);
    if (known) return known;
    const target = { bin: options.tmuxBin, socketArgs: socketArguments(socket), env };
    const tmux = new Tmux({
      exec: createExec(target, socketLibc),
      target,
      socket: spelled,
      ownClients,
      caller,
      owner: `tmux-mcp:${options.instance}`,
    });
    servers.set(spelled, tmux);
    return tmux;
  };
}

function openSystemLibc(): Libc {
  return openLibc(findLibc());
}

function readCaller(libc: Libc, { TMUX, TMUX_PANE }: Readonly<Record<string, string>>): Caller {
  return {
    ...readAncestry(libc),
    ...(TMUX === undefined ? {} : { tmux: TMUX }),
    ...(TMUX_PANE === undefined ? {} : { tmuxPane: TMUX_PANE }),
  };
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
