/**
 * An MCP server over tmux: compose one with {@linkcode createServer}, connect it to a transport, close it. Programs that
 * drive tmux themselves use {@linkcode connectTmux}, which `@tmux-mcp/server/connection` exports without the server.
 * docs/library.md has programs to start from, with the flags they need.
 * @module
 */
import { completeOptions, type Options } from "./config.ts";
import { AppError, oneLine } from "./errors.ts";
import { createEngine } from "./engine.ts";
import { prompts } from "./prompts/all.ts";
import { resources } from "./resources/all.ts";
import { listSkills } from "./resources/skills.ts";
import type { ServerSelector } from "./server/call.ts";
import { serveCompletion } from "./server/completion.ts";
import { AnswerLimit } from "./server/answer_limit.ts";
import { Prompts, servePrompts } from "./server/prompts.ts";
import { serveResources, serveSubscriptions } from "./server/resources/resource_requests.ts";
import { Resources } from "./server/resources/resources.ts";
import { ClientLog } from "./server/client_log.ts";
import { readStructure } from "./tmux/structure.ts";
import { ResourceList } from "./server/resources/resource_list.ts";
import { Subscriptions } from "./server/resources/subscriptions.ts";
import { promptTools } from "./tools/prompts.ts";
import type { Tmux } from "./tmux/tmux.ts";
import { createPolicy } from "./server_policy.ts";
import { openAuditFile } from "./server/audit_file.ts";
import { Gate } from "./server/gate.ts";
import { instructionsFor } from "./server/instructions.ts";
import { Channel } from "./server/channel.ts";
import { MaskingTransport } from "./server/transport/masking_transport.ts";
import { Registry } from "./server/registry.ts";
import type { Transport } from "./server/sdk.ts";
import { DualEraServer } from "./server/eras.ts";
import { introduce, type Introduction } from "./server/introduction.ts";
import { Server } from "./server/protocol_server.ts";
import { ServedClient } from "./server/served_client.ts";
import { RequestHandlers } from "./server/requests.ts";
import { serveTools } from "./server/tool_requests.ts";
import type { ToolSchemas } from "./server/wire.ts";
import type { Masks } from "./masking/masks.ts";
import { DurableState } from "./watch/durable/durable_state.ts";
import { TaskPlaces } from "./watch/durable/task_places.ts";
import { checkProgram } from "./tmux/version.ts";
import { tools } from "./tools/all.ts";
import { createToolServices } from "./tool_services.ts";
import schemas from "./tools/schemas.json" with { type: "json" };
import { VERSION } from "./version.ts";
import { bestEffort } from "./promises.ts";

export * from "./connection/connect.ts";
export type { Host, Options, ToolFilter } from "./config.ts";
export type { Transport } from "./server/sdk.ts";
export { loadMasks, type Masks } from "./masking/masks.ts";
export { StdioTransport } from "./server/transport/stdio_transport.ts";
export { VERSION };

/** Options and services of a server. */
export interface TmuxMcpOptions {
  /** As in the configuration file, by their names in code; what is left out has its default. */
  options?: Partial<Options>;
  /** The environment tmux clients are run with, and nothing else. */
  env: Readonly<Record<string, string>>;
  /** The environment of a tmux server that a tool starts, and so of all its panes; `env` if left out. */
  serverEnv?: Readonly<Record<string, string>> | undefined;
  /** Result of `loadMasks` for `options.mask`: undefined if that names only variables that are not set. */
  masks?: Masks | undefined;
  /** The folder that files may be written to unless configured otherwise; absolute; the working folder if left out. */
  cwd?: string;
  /** Sink for messages outside the protocol; dropped if left out. */
  complain?(message: string): void;
  /** The configuration file in force, which no call may write. */
  configFile?: string | undefined;
}

/** A composed server: connect it to a transport, close it to end every worker and tmux client of its own. */
export interface TmuxMcp {
  /** Serves one client over an MCP transport: {@linkcode StdioTransport} or one of the SDK's. */
  connect(transport: Transport): Promise<void>;
  /** Ends every worker and tmux client of its own; panes and programs stay. */
  close(): Promise<void>;
}

/**
 * Composes a server; nothing runs before it is connected.
 * @throws {AppError} when the audit log cannot be written, or the C library not be loaded
 * @throws {ConfigError} for an option that does not exist or whose value is not valid
 */
export function createServer(given: TmuxMcpOptions): TmuxMcp {
  const { env, serverEnv, cwd = Deno.cwd(), configFile, masks, complain: report = () => {} } = given;
  const options = completeOptions(given.options ?? {});
  if (options.mask.length > 0 && !("masks" in given)) {
    throw new AppError("invalid-argument", "Invalid options: mask is set without masks", {
      hint: "Pass masks: await loadMasks(options.mask, variable)",
    });
  }
  const complain = (message: string): void => report(masks?.text(message) ?? message);
  const engine = createEngine({
    options,
    env,
    serverEnv,
    seesSession: (session) => policy.scope.seesSession(session),
    push: (event) => channel?.push(gate.pushed(event)),
    complain,
  });
  const { policy, ownFolder } = createPolicy(engine, { options, env, cwd, configFile });
  const warn = (message: string): void => {
    complain(message);
    clientLog.write("warning", message);
  };
  const logCall = (line: string, failed: boolean): void => {
    if (options.log === "debug" || (failed && options.log === "info")) complain(line);
    clientLog.write(failed ? "info" : "debug", line);
  };
  const audit = options.auditPath === undefined ? undefined : openAuditFile(options.auditPath, warn);
  const maskedAudit = audit && masks ? { append: (line: string) => audit.append(masks.text(line)) } : audit;
  const gate = new Gate({ policy, ...(maskedAudit && { audit: maskedAudit }), report: logCall });
  const visiblePanes = async (tmux: Tmux) =>
    policy.scope.limited
      ? new Set(policy.scope.rowsOf(await tmux.snapshot()).map(({ paneId }) => paneId))
      : undefined;
  const durable = new DurableState({
    store: engine.records,
    connect: (socket) => engine.connect({ socket }),
    endPipe: engine.endSpoolPipe,
    spoolsPiped: engine.spoolsPiped,
    sweep: engine.sweep,
    visiblePanes,
    maxOutputBytes: options.maxOutputBytes,
    spoolFolder: env.TMPDIR ?? "/tmp",
    watches: engine.watch,
    errorPattern: options.errorPattern,
    errorIgnorePattern: options.errorIgnorePattern,
  });
  const services = createToolServices(engine, { masks, options, env, ownFolder, durable });
  const { commands, recordings, handovers } = services;
  const connect = (where: ServerSelector): Tmux => {
    const tmux = engine.connect(where);
    if (policy.seesSocket(tmux.socketPath, tmux.machine.host)) durable.notice(tmux);
    return tmux;
  };
  const hosts = Object.keys(options.hosts);
  const client: ServedClient = new ServedClient(options, (name) => registry.find(name) !== undefined);
  const limit = new AnswerLimit(() => client.profile, options.answerBytes);
  const registry = new Registry(
    options.promptsAsTools ? [...tools, ...promptTools(() => visiblePrompts)] : tools,
    {
      hosts,
      removedBy: (tool) => policy.findRemoval(tool),
      defaults: () => ({ timeout: client.waitSeconds, maxBytes: limit.bytes }),
      readOnly: options.safety === "readonly",
      schemas: schemas as Readonly<Record<string, unknown>> as Readonly<Record<string, ToolSchemas>>,
    },
  );
  const visibleTools = new Set(registry.visible().map(({ tool }) => tool.name));
  const visiblePrompts: Prompts = new Prompts(prompts, visibleTools);
  const liveResources = new Resources({
    resources,
    gate,
    commands,
    connect,
    home: () => engine.connect({}),
    hosts,
    limit,
  });
  const requests = new RequestHandlers();
  serveTools(requests, {
    changes: () => resourceList.changes(),
    changed: () => resourceList.changed(),
    services: {
      ...{ registry, gate, connect, tools: services, limit, client },
      warm: () => engine.supervisor.warm(),
    },
  });
  serveResources(requests, liveResources);
  servePrompts(requests, visiblePrompts, { gate, limit });
  serveCompletion(requests, {
    gate,
    commands,
    connect: () => connect({}),
    argumentsOf: (ref) =>
      "prompt" in ref ? visiblePrompts.argumentsOf(ref.prompt) : liveResources.argumentsOf(ref.template),
  });
  const introduceTo = (clientName: string | undefined): Introduction => {
    client.introduced(clientName);
    return introduce({
      version: VERSION,
      instructions: client.spell(instructionsFor(visibleTools, options.channel)),
      channel: options.channel,
    });
  };
  const server = new Server(introduceTo, requests);
  const clientLog = new ClientLog(server);
  const resourceList = new ResourceList({
    read: () => readStructure(engine.connect({}), (session) => policy.scope.seesSession(session)),
    notify: () => {
      void bestEffort(server.sendResourceListChanged());
      eras.resourceListChanged();
    },
  });
  const subscriptions = new Subscriptions({
    resources: liveResources,
    commands,
    observe: (tmux, handlers) => engine.observe(tmux, handlers),
    changed: () => resourceList.changed(),
  });
  serveSubscriptions(server, subscriptions);
  const channel = options.channel
    ? new Channel((notification) => void bestEffort(server.notification(notification)))
    : undefined;
  // Said at the start where nobody waits for it; each call says it again.
  const sayWhatIsMissing = (): void =>
    void checkProgram({ bin: options.tmuxBin, env }).catch((error) => {
      if (options.log !== "error") warn(oneLine(error));
    });
  // Another machine is not asked every few seconds over ssh for what a client may never want.
  const followResourceList = (): void => {
    if (options.ssh !== undefined) return;
    durable.notice(engine.connect({}));
    void bestEffort(resourceList.follow());
  };
  server.oninitialized = () => {
    sayWhatIsMissing();
    followResourceList();
  };
  const seesAll = !policy.scope.limited && policy.settings.allowedSockets === undefined;
  const seesSocket = seesAll ? undefined : (path: string) => policy.seesSocket(path);
  const eras = new DualEraServer({
    legacy: server,
    // Channel notifications reach only those who initialize.
    loadModern: options.channel ? undefined : async (send) => {
      const { ModernServer } = await import("./server/modern/server.ts");
      sayWhatIsMissing();
      return new ModernServer({
        introduce: introduceTo,
        requests,
        send,
        subscribe: (uri, subscriber) => subscriptions.subscribe(uri, subscriber),
        unsubscribe: (uri, subscriber) => subscriptions.unsubscribe(uri, subscriber),
        followResourceList,
        waits: (name) => registry.find(client.toolNamed(name))?.tool.waits === true,
        listSkills,
        tasks: options.tasksAfterSeconds === 0 ? undefined : {
          afterMs: options.tasksAfterSeconds * 1000,
          store: engine.records,
          places: new TaskPlaces({ ...engine, seesSocket, visiblePanes }),
        },
      });
    },
  });
  return {
    async connect(transport): Promise<void> {
      await engine.prepared;
      await eras.connect(masks ? new MaskingTransport(transport, masks) : transport);
    },
    async close(): Promise<void> {
      await eras.detach();
      channel?.close();
      subscriptions.close();
      resourceList.close();
      recordings.close();
      await commands.detach();
      durable.close();
      await handovers.close();
      await engine.close();
      commands.close();
      await eras.close();
      audit?.[Symbol.dispose]();
    },
  };
}
