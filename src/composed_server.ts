// One complete MCP server: policy, gate, tools, resources and both eras of the protocol on one engine.
import { completeOptions, type Options } from "./config.ts";
import { Engine } from "./engine.ts";
import { oneLine } from "./errors.ts";
import type { AuditLog } from "./policy/audit.ts";
import type { Policy } from "./policy/policy.ts";
import { bestEffort } from "./promises.ts";
import { listSkills } from "./resources/skills.ts";
import { openAuditFile } from "./server/audit_file.ts";
import type { ToolServices } from "./tool.ts";
import { ChannelPush } from "./server/channel_push.ts";
import { ClientLog } from "./server/client_log.ts";
import { DualEraServer, type ModernEraServer } from "./server/eras.ts";
import { Gate } from "./server/gate.ts";
import { instructionsFor } from "./server/instructions.ts";
import { introduce, type Introduction } from "./server/introduction.ts";
import { Server } from "./server/protocol_server.ts";
import { ResourceList } from "./server/resources/resource_list.ts";
import { serveSubscriptions } from "./server/resources/resource_requests.ts";
import { Subscriptions } from "./server/resources/subscriptions.ts";
import type { JSONRPCMessage, Transport } from "./server/sdk.ts";
import { MessageMasks } from "./masking/message_masks.ts";
import { MaskingTransport } from "./server/transport/masking_transport.ts";
import { StdioTransport } from "./server/transport/stdio_transport.ts";
import { checkMasks, type TmuxMcpOptions } from "./server_options.ts";
import { createPolicy } from "./server_policy.ts";
import { temporaryFolder } from "./temporary_folder.ts";
import { ServedRequests } from "./served_requests.ts";
import { findOwnPane } from "./tmux/caller.ts";
import { readFingerprint } from "./tmux/server_snapshot.ts";
import type { Tmux } from "./tmux/tmux.ts";
import { checkProgram } from "./tmux/program_version.ts";
import { createToolServices } from "./tool_services.ts";
import { VERSION } from "./version.ts";
import { DurableState } from "./durable/durable_state.ts";
import { TaskPlaces } from "./durable/task_places.ts";

/** A complete server. Connect it to a transport; close it to end all its workers and tmux clients. */
export interface TmuxMcp {
  /** Serves one client over an MCP transport: {@linkcode StdioTransport}, or one of the SDK's. */
  connect(transport: Transport): Promise<void>;
  /** Ends all its workers and tmux clients; panes and programs stay. */
  close(): Promise<void>;
}

export class ComposedServer implements TmuxMcp {
  readonly #composition: TmuxMcpOptions;
  readonly #options: Options;
  readonly #engine: Engine;
  readonly #policy: Policy;
  readonly #audit: (AuditLog & Disposable) | undefined;
  readonly #gate: Gate;
  readonly #durable: DurableState;
  readonly #services: ToolServices;
  readonly #served: ServedRequests;
  /** Serves clients that use `initialize`. */
  readonly #server: Server;
  readonly #clientLog: ClientLog;
  readonly #channel: ChannelPush | undefined;
  readonly #resourceList: ResourceList;
  readonly #subscriptions: Subscriptions;
  readonly #eras: DualEraServer;

  constructor(composition: TmuxMcpOptions) {
    const { env, cwd = Deno.cwd(), configFile, masks } = composition;
    this.#composition = composition;
    const options = this.#options = completeOptions(composition.options ?? {});
    checkMasks(composition, options);
    const engine = this.#engine = this.#createEngine();
    const { policy, ownFolder } = createPolicy(engine, { options, env, cwd, configFile });
    this.#policy = policy;
    this.#audit = this.#openAudit();
    this.#gate = this.#createGate();
    const durable = this.#durable = this.#createDurable();
    this.#services = createToolServices(engine, { masks, options, env, ownFolder, durable });
    this.#served = this.#createRequests();
    this.#server = new Server((clientName) => this.#introduce(clientName), this.#served.requests);
    this.#clientLog = new ClientLog(this.#server);
    this.#resourceList = this.#createResourceList();
    this.#subscriptions = this.#createSubscriptions();
    serveSubscriptions(this.#server, this.#subscriptions);
    this.#channel = this.#createChannel();
    this.#server.oninitialized = () => {
      this.#checkTmuxProgram();
      this.#followResourceList();
    };
    this.#eras = new DualEraServer({
      legacy: this.#server,
      serve: (clientName, request) => this.#served.client.serve(clientName, request),
      // Channel notifications reach only clients that use `initialize`.
      loadModern: options.channel ? undefined : (send) => this.#loadModern(send),
    });
  }

  async connect(transport: Transport): Promise<void> {
    const { masks } = this.#composition;
    await this.#engine.prepared;
    if (transport instanceof StdioTransport) transport.waits = (tool) => this.#served.waits(tool);
    await this.#eras.connect(masks ? new MaskingTransport(transport, new MessageMasks(masks)) : transport);
  }

  async close(): Promise<void> {
    const { commands, recordings, handovers, services } = this.#services;
    await this.#eras.detach();
    this.#channel?.close();
    this.#subscriptions.close();
    this.#resourceList.close();
    const detached = commands.detach().then(() => handovers.close());
    await Promise.all([recordings.close(), services.close(), detached]);
    this.#durable.close();
    await this.#engine.close(() => commands.close());
    await this.#eras.close();
    this.#audit?.[Symbol.dispose]();
  }

  #complain(message: string): void {
    const { complain, masks } = this.#composition;
    complain?.(masks?.text(message) ?? message);
  }

  #warn(message: string): void {
    this.#complain(message);
    this.#clientLog.write("warning", message);
  }

  #createEngine(): Engine {
    const { env, serverEnv, sshEnv } = this.#composition;
    return new Engine({
      ...{ options: this.#options, env, serverEnv, sshEnv },
      sees: (row) => this.#policy.scope.sees(row),
      seesSocket: (socket, host) => this.#policy.seesSocket(socket, host),
      visiblePanes: (tmux) => this.#visiblePanes(tmux),
      push: this.#options.channel ? (event) => this.#channel?.push(this.#gate.pushed(event)) : undefined,
      complain: (message) => this.#complain(message),
    });
  }

  #openAudit(): (AuditLog & Disposable) | undefined {
    const { auditPath } = this.#options;
    return auditPath === undefined ? undefined : openAuditFile(auditPath, (message) => this.#warn(message));
  }

  #createGate(): Gate {
    const { masks } = this.#composition;
    const audit = this.#audit;
    return new Gate({
      policy: this.#policy,
      ...(audit &&
        { audit: { append: (line) => audit.append(masks ? new MessageMasks(masks).text(line) : line) } }),
      admitted: (tmux) => this.#admitted(tmux),
      report: (line, failed) => this.#logCall(line, failed),
    });
  }

  #logCall(line: string, failed: boolean): void {
    const { log } = this.#options;
    if (log === "debug" || (failed && log === "info")) this.#complain(line);
    this.#clientLog.write(failed ? "info" : "debug", line);
  }

  #createDurable(): DurableState {
    const engine = this.#engine;
    return new DurableState({
      ...this.#options,
      store: engine.records,
      libc: engine.libc,
      connect: (place) => engine.find(place),
      seesSocket: (path, host) => this.#policy.seesSocket(path, host),
      changesPanes: this.#options.safety !== "readonly",
      lease: (tmux, pane) => engine.leases.lease(tmux, pane),
      endPipe: (serverPid, path) => engine.stamp.endSpoolPipe(serverPid, path),
      spoolsPiped: (serverPid) => engine.stamp.spoolsPiped(serverPid),
      sweep: (tmux) => engine.sweep(tmux),
      visiblePanes: (tmux) => this.#visiblePanes(tmux),
      outputFolder: temporaryFolder(this.#composition.env),
      watches: engine.watches,
    });
  }

  #createRequests(): ServedRequests {
    return new ServedRequests({
      options: this.#options,
      engine: this.#engine,
      policy: this.#policy,
      gate: this.#gate,
      services: this.#services,
      connect: (where) => this.#engine.connect(where),
      home: () => this.#home(),
      resourceList: () => this.#resourceList,
    });
  }

  /** Returns the ids of the panes in scope; undefined if all are. */
  async #visiblePanes(tmux: Tmux): Promise<ReadonlySet<string> | undefined> {
    const { scope } = this.#policy;
    return scope.limited ? scope.view(await tmux.snapshot())?.paneIds : undefined;
  }

  #admitted(tmux: Tmux): void {
    this.#durable.noteUse(tmux);
    if (tmux.machine === this.#engine.connect({}).machine) this.#checkResourceList();
  }

  async #home(): Promise<Tmux> {
    this.#checkResourceList();
    await this.#resourceList.waitForFirst();
    return this.#engine.connect({});
  }

  /** Finds changes of the resource list with each request if calls go to another machine, because it isn't polled. */
  #checkResourceList(): void {
    if (this.#options.ssh !== undefined) this.#resourceList.compareSoon();
  }

  #introduce(clientName: string | undefined): Introduction {
    const { client, visibleTools } = this.#served;
    client.introduced(clientName);
    const ownPane = findOwnPane(this.#composition.env, this.#options);
    const instructions = client.spell(instructionsFor(visibleTools, this.#options, ownPane));
    return introduce({ version: VERSION, instructions, channel: this.#options.channel });
  }

  #createResourceList(): ResourceList {
    return new ResourceList({
      read: async () => {
        const home = this.#engine.connect({});
        const isSeen = this.#policy.seesSocket(home.socketPath, home.machine.host);
        return isSeen && this.#served.resources.areListed ? await readFingerprint(home) : "";
      },
      notify: () => {
        void bestEffort(this.#server.sendResourceListChanged());
        this.#eras.resourceListChanged();
      },
    });
  }

  #createSubscriptions(): Subscriptions {
    return new Subscriptions({
      resources: this.#served.resources,
      commands: this.#services.commands,
      changed: () => this.#resourceList.changed(),
    });
  }

  #createChannel(): ChannelPush | undefined {
    if (!this.#options.channel) return undefined;
    return new ChannelPush((each) => void bestEffort(this.#server.notification(each)), this.#composition);
  }

  /** Reports a missing tmux at the start, without delaying it; each call reports it again. */
  #checkTmuxProgram(): void {
    const { tmuxBin, log } = this.#options;
    void checkProgram({ bin: tmuxBin, env: this.#composition.env }).catch((error) => {
      if (log !== "error") this.#warn(oneLine(error));
    });
  }

  /** Polls the list of resources, except on another machine: over ssh that costs too much. */
  #followResourceList(): void {
    if (this.#options.ssh !== undefined) return;
    this.#durable.noteUse(this.#engine.connect({}));
    void bestEffort(this.#resourceList.follow());
  }

  async #loadModern(send: (message: JSONRPCMessage) => void): Promise<ModernEraServer> {
    const { requests, registry, client } = this.#served;
    const [{ ModernServer }] = await Promise.all([import("./server/modern/server.ts"), client.keepApart()]);
    this.#checkTmuxProgram();
    return new ModernServer({
      introduce: (clientName) => this.#introduce(clientName),
      requests,
      send,
      subscribe: (uri, subscriber) => this.#subscriptions.subscribe(uri, subscriber),
      unsubscribe: (uri, subscriber) => this.#subscriptions.unsubscribe(uri, subscriber),
      followResourceList: () => this.#followResourceList(),
      resourceListKnown: () => this.#resourceList.waitForFirst(),
      waits: (name) => this.#served.waits(name),
      listSkills,
      tasks: this.#options.tasksAfterSeconds === 0 ? undefined : {
        afterMs: this.#options.tasksAfterSeconds * 1000,
        store: this.#engine.records,
        places: this.#taskPlaces((name) => registry.find(client.toolNamed(name))?.removedBy === undefined),
        continues: (name) => registry.find(client.toolNamed(name))?.tool.continues === true,
      },
    });
  }

  #taskPlaces(allows: (tool: string) => boolean): TaskPlaces {
    const seesAll = !this.#policy.scope.limited && this.#policy.settings.allowedSockets === undefined;
    return new TaskPlaces({
      connect: (where) => this.#engine.connect(where),
      seesSocket: seesAll ? undefined : (path) => this.#policy.seesSocket(path),
      visiblePanes: (tmux) => this.#visiblePanes(tmux),
      contents: this.#policy.settings.allowCapture,
      allows,
    });
  }
}
