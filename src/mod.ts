// What the published module exports: an MCP server over tmux, composed from its parts.
import { join } from "@std/path";
import type { Options } from "./config.ts";
import { ownerMark } from "./policy/ownership.ts";
import { Policy } from "./policy/policy.ts";
import { openAuditFile } from "./server/audit_file.ts";
import { Gate } from "./server/gate.ts";
import { resolveRealPath } from "./server/real_path.ts";
import { instructionsFor } from "./server/instructions.ts";
import { Channel } from "./server/channel.ts";
import { Registry } from "./server/registry.ts";
import type { Server } from "./server/sdk.ts";
import { createMcpServer } from "./server/server.ts";
import { readAncestry } from "./process/ancestry.ts";
import { createProbe } from "./process/probe.ts";
import { type Libc, LIBC_CANDIDATES, openLibc } from "./process/libc.ts";
import { OutputFiles } from "./terminal/output_files.ts";
import { Pictures } from "./terminal/pictures.ts";
import { openInBrowser } from "./tmux/browser.ts";
import type { Caller } from "./tmux/caller.ts";
import { createExec } from "./tmux/client.ts";
import { openSocketLibc, type SocketLibc } from "./tmux/libc_socket.ts";
import { type ProcessTarget, runProgram } from "./tmux/process.ts";
import { findSocketPath } from "./tmux/socket_path.ts";
import { socketArguments, spellSocket } from "./tmux/socket_choice.ts";
import { Tmux } from "./tmux/tmux.ts";
import { ClientMark } from "./watch/client_mark.ts";
import { Commands } from "./watch/commands.ts";
import { Supervisor } from "./watch/supervisor.ts";
import { Recordings } from "./watch/recordings.ts";
import { Watches } from "./watch/watches.ts";
import { tools } from "./tools/all.ts";
import { VERSION } from "./version.ts";

export { StdioTransport } from "./server/transport.ts";
export { VERSION };

export interface TmuxMcpOptions {
  options: Options;
  /** The environment tmux clients are run with, and nothing else. */
  env: Readonly<Record<string, string>>;
  /** The folder that files may be written to unless configured otherwise; absolute. */
  cwd: string;
  /** Where what must be said outside the protocol goes. */
  complain(message: string): void;
}

/** A composed server: connect it to a transport, close it to end every worker and tmux client of its own. */
export interface TmuxMcp {
  server: Server;
  close(): Promise<void>;
}

/** @throws when the audit log cannot be written, or the C library not be loaded */
export function createServer({ options, env, cwd, complain }: TmuxMcpOptions): TmuxMcp {
  const libc = openLibc(findLibc());
  const probe = createProbe(libc);
  const mark = new ClientMark(libc, Deno.pid);
  const supervisor = new Supervisor({
    libc,
    bin: options.tmuxBin,
    maxWorkers: options.maxWorkers,
    maxWatches: options.maxWatches,
    clientEnvironment: mark.environment,
  });
  const ended = new AbortController();
  const sockets = new Sockets({
    options,
    env,
    libc,
    mark,
    ownClients: () => supervisor.clients(),
    ended: ended.signal,
  });
  const audit = options.auditPath === undefined ? undefined : openAuditFile(options.auditPath, complain);
  const ownFolder = join(env.TMPDIR ?? "/tmp", "tmux-mcp");
  const policy = new Policy(options, {
    standardPaths: [cwd, ownFolder],
    resolvePath: resolveRealPath,
    resolveSocket: (socket) => sockets.path(socket),
  });
  const files = new OutputFiles((options.allowedOutputPaths ?? [ownFolder])[0]);
  const recordings = new Recordings({ supervisor, files });
  const watch = new Watches({
    supervisor,
    probe,
    errorPattern: options.errorPattern,
    errorIgnorePattern: options.errorIgnorePattern,
    cursor: (tmux, paneId) => tmux.capture.cursor(paneId),
    push: (event) => channel?.push(event),
  });
  const commands = new Commands({ supervisor, watches: watch, probe, ...options });
  const registry = new Registry(tools, {
    hosts: Object.keys(options.hosts),
    removedBy: (tool) => policy.findRemoval(tool),
    readOnly: options.safety === "readonly",
  });
  const server = createMcpServer({
    version: VERSION,
    instructions: instructionsFor(new Set(registry.visible().map(({ tool }) => tool.name)), options.channel),
    channel: options.channel,
    services: {
      registry,
      gate: new Gate({ policy, probe, ...(audit && { audit }) }),
      connect: ({ socket }) => sockets.connect(socket),
      tools: {
        watch,
        commands,
        probe,
        pictures: new Pictures(),
        files,
        recordings,
        openInBrowser: (path) => openInBrowser(path, env),
      },
    },
  });
  const channel = options.channel
    ? new Channel((notification) => void server.notification(notification).catch(() => {}))
    : undefined;
  return {
    server,
    async close(): Promise<void> {
      channel?.close();
      recordings.close();
      ended.abort(new Error("The server is closing"));
      await supervisor.close();
      await server.close();
      audit?.[Symbol.dispose]();
    },
  };
}

/** The tmux servers calls are aimed at, by socket. */
class Sockets {
  readonly #servers: Map<string, Tmux> = new Map();
  readonly #options: SocketsOptions;
  readonly #libc: SocketLibc;
  readonly #caller: Caller;

  constructor(options: SocketsOptions) {
    this.#options = options;
    this.#libc = openSocketLibc(options.libc.path);
    this.#caller = readCaller(options.libc, options.env);
  }

  /** The absolute path of a socket given by path or name. */
  path(socket: string | undefined = this.#options.options.socket): string {
    const args = socketArguments(socket);
    return findSocketPath(args, this.#options.env, this.#libc.uid) ?? spellSocket(socket);
  }

  connect(socket: string | undefined = this.#options.options.socket): Tmux {
    const path = this.path(socket);
    const known = this.#servers.get(path);
    if (known) return known;
    const { options, env, mark, ownClients, ended } = this.#options;
    const target = { bin: options.tmuxBin, socketArgs: socketArguments(socket), env };
    const exec = createExec(target, this.#libc);
    const tmux = new Tmux({
      exec: (commands, how) => exec(commands, { signal: ended, ...how }),
      target,
      socket: spellSocket(socket),
      socketPath: path,
      ownClients,
      owner: ownerMark(options.instance),
      caller: this.#caller,
      surroundings: {
        socketFolder: `${env["TMUX_TMPDIR"] || "/tmp"}/tmux-${this.#libc.uid}`,
        version: () => readVersion(target),
        at: (path) => this.connect(path),
      },
    });
    this.#servers.set(path, tmux);
    // Nobody waits for it, and a server that can't be asked has nothing to sweep.
    mark.sweep(tmux).catch(() => {});
    return tmux;
  }
}

interface SocketsOptions {
  options: Options;
  env: Readonly<Record<string, string>>;
  libc: Libc;
  mark: ClientMark;
  ownClients(): ReadonlySet<number>;
  /** Aborted when this server closes: no tmux client of its own outlives it. */
  ended: AbortSignal;
}

async function readVersion({ bin, env }: ProcessTarget): Promise<string> {
  const { stdout } = await runProgram({ bin, args: ["-V"], env });
  return new TextDecoder().decode(stdout).trim().replace(/^tmux /, "");
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
