// Requests that a server serves in every era of the protocol: tools, resources, prompts, completion.
import type { Options } from "./config.ts";
import type { Engine } from "./engine.ts";
import type { Policy } from "./policy/policy.ts";
import { findRemoval } from "./policy/visibility.ts";
import { prompts } from "./prompts/all.ts";
import { resources } from "./resources/all.ts";
import { SKILLS } from "./resources/skills.ts";
import { visibleAdvice } from "./server/advice.ts";
import { AnswerLimit } from "./server/answer_limit.ts";
import type { ServerSelector } from "./server/call.ts";
import type { ToolServices } from "./tool.ts";
import { serveCompletion } from "./server/completion.ts";
import type { Gate } from "./server/gate.ts";
import { Prompts, servePrompts } from "./server/prompts.ts";
import { Registry } from "./server/registry.ts";
import { RequestHandlers } from "./server/requests.ts";
import type { ResourceList } from "./server/resources/resource_list.ts";
import { serveResources } from "./server/resources/resource_requests.ts";
import { Resources } from "./server/resources/resources.ts";
import { ServedClient } from "./server/served_client.ts";
import { serveTools } from "./server/tool_requests.ts";
import type { ToolSchemas } from "./server/wire.ts";
import type { Tmux } from "./tmux/tmux.ts";
import { tools } from "./tools/all.ts";
import { promptTools } from "./tools/prompts.ts";
import schemas from "./tools/schemas.json" with { type: "json" };

interface ServedRequestsOptions {
  options: Options;
  engine: Engine;
  policy: Policy;
  gate: Gate;
  services: ToolServices;
  connect(where: ServerSelector): Tmux;
  /** Returns the tmux server whose resources are listed, once changes of its list are noticed. */
  home(): Promise<Tmux>;
  /** Returns the resource list, which is created after the requests. */
  resourceList(): ResourceList;
}

export class ServedRequests {
  readonly requests: RequestHandlers = new RequestHandlers();
  readonly client: ServedClient;
  readonly registry: Registry;
  /** Names of the tools that are listed. */
  readonly visibleTools: ReadonlySet<string>;
  readonly resources: Resources;
  readonly #options: ServedRequestsOptions;
  readonly #limit: AnswerLimit;
  readonly #prompts: Prompts;

  constructor(given: ServedRequestsOptions) {
    const { options, gate, services: { commands }, connect, home } = given;
    this.#options = given;
    this.client = new ServedClient(options, (name) => this.registry.find(name) !== undefined);
    this.#limit = new AnswerLimit(() => this.client.profile, options.answerBytes);
    this.registry = this.#createRegistry();
    this.visibleTools = new Set(this.registry.visible().map(({ tool }) => tool.name));
    this.#prompts = new Prompts(prompts, this.visibleTools, (text) => this.client.spell(text));
    this.resources = new Resources({
      resources,
      gate,
      commands,
      connect,
      home,
      hosts: Object.keys(options.hosts),
      limit: this.#limit,
      advice: (hint) => this.#advice(hint),
    });
    this.#serve();
  }

  /** True if calls of a tool may wait; this client may show the tool under another name. */
  waits(tool: string): boolean {
    return this.registry.find(this.client.toolNamed(tool))?.tool.waits === true;
  }

  /** Returns a hint with the tools that this client has, as it shows them. */
  #advice(hint: string): string {
    return this.client.spell(visibleAdvice(hint, (name) => this.registry.removedBy(name)));
  }

  #createRegistry(): Registry {
    const { options, policy } = this.#options;
    const all = options.promptsAsTools ? [...tools, ...promptTools(() => this.#prompts)] : tools;
    return new Registry(all, {
      hosts: Object.keys(options.hosts),
      removedBy: (tool) => findRemoval(tool, policy.settings),
      defaults: () => ({ timeout: this.client.waitSeconds, maxBytes: this.#limit.bytes }),
      readOnly: options.safety === "readonly",
      schemas: schemas as Readonly<Record<string, unknown>> as Readonly<Record<string, ToolSchemas>>,
    });
  }

  #serve(): void {
    const { options, engine, gate, services, connect, resourceList } = this.#options;
    const { registry, client, resources, requests } = this;
    const limit = this.#limit;
    serveTools(requests, {
      changes: () => resourceList().changes(),
      changed: () => resourceList().changed(),
      services: {
        registry,
        gate,
        connect,
        tools: services,
        limit,
        client,
        warm: () => engine.supervisor.warm(),
      },
    });
    serveResources(requests, resources);
    servePrompts(requests, this.#prompts, { gate, limit, advice: (hint) => this.#advice(hint) });
    serveCompletion(requests, {
      gate,
      commands: services.commands,
      connect,
      hosts: Object.keys(options.hosts),
      skills: SKILLS,
      argumentsOf: (ref) =>
        "prompt" in ref ? this.#prompts.argumentsOf(ref.prompt) : resources.argumentsOf(ref.template),
    });
  }
}
