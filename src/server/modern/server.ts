// Serves requests that carry their version and capabilities (2026-07-28), with the second generation of the SDK.
import { type JSONRPCMessage, Server, type Transport } from "@modelcontextprotocol/server";
import { serveStdio, type StdioServerHandle } from "@modelcontextprotocol/server/stdio";
import { clientNameOf } from "../envelope.ts";
import type { ModernEraServer } from "../eras.ts";
import { type Introduction, modernCapabilities, UNCHANGING } from "../introduction.ts";
import type { RequestContext, RequestHandlers, RequestParams } from "../requests.ts";
import { plainMessage } from "../request_errors.ts";
import { type JSONRPCMessage as SessionMessage, McpError } from "../sdk.ts";
import { type ListSkills, Skills } from "./skills.ts";
import { NotificationStreams, type StreamSources } from "./notification_streams.ts";
import { RoundTrips, type RoundTripsOptions } from "./round_trips.ts";
import type { TaskState } from "./task.ts";
import { Tasks, type TasksOptions } from "./tasks.ts";

export interface ModernServerOptions extends Omit<StreamSources, "send" | "findTask"> {
  introduce(clientName: string | undefined): Introduction;
  requests: RequestHandlers;
  listSkills: ListSkills;
  send(message: SessionMessage): void;
  /** Undefined if calls never become tasks. */
  tasks: Pick<TasksOptions, "afterMs" | "store" | "places" | "continues"> | undefined;
  waits: RoundTripsOptions["waits"];
}

type CallExtras = Pick<RequestContext, "askPerson" | "task">;

/** Error codes of sessions that this era lacks (a missing or denied resource), with their replacements. */
const REPLACED_CODES: Readonly<Record<number, number>> = { [-32002]: -32602, [-32003]: -32602 };

export class ModernServer implements ModernEraServer {
  readonly #channel: Transport;
  readonly #handle: StdioServerHandle;
  readonly #streams: NotificationStreams;
  readonly #tasks: Tasks | undefined;
  readonly #rounds: RoundTrips;
  readonly #skills: Skills;
  #clientName: string | undefined;

  constructor({ introduce, requests, send, tasks, waits, listSkills, ...sources }: ModernServerOptions) {
    this.#skills = new Skills(listSkills, send);
    const deliver = (message: SessionMessage) => this.#channel.onmessage?.(message as JSONRPCMessage);
    this.#rounds = new RoundTrips({ waits, deliver, send });
    const changed = (task: TaskState) => this.#streams.taskChanged(task);
    this.#tasks = tasks && new Tasks({ ...tasks, waits, deliver, send, changed });
    this.#streams = new NotificationStreams({
      ...sources,
      send,
      findTask: this.#tasks && ((taskId, request) => this.#tasks!.find(taskId, request)),
    });
    this.#channel = this.#createChannel(send);
    // The SDK's own streams don't support tasks and can't refuse one resource of several, so we don't use them.
    const extrasOf = (key: unknown): CallExtras => ({
      askPerson: this.#tasks?.askPerson(key) ?? this.#rounds.askPerson(key),
      task: this.#tasks?.taskOf(key),
    });
    const given = { requests, extrasOf, takesTasks: tasks !== undefined };
    this.#handle = serveStdio(() => createServer(introduce(this.#clientName), given), {
      transport: this.#channel,
      legacy: "reject",
    });
  }

  receive(message: SessionMessage): void {
    if ("method" in message) {
      const { method, params } = message;
      this.#clientName = clientNameOf(message) ?? this.#clientName;
      if (method === "subscriptions/listen" && "id" in message) return void this.#streams.open(message);
      if (method === "notifications/cancelled" && this.#streams.cancel(params?.requestId)) return;
      if (this.#tasks?.receive(message) || this.#rounds.receive(message)) return;
      if (this.#skills.receive(message)) return;
    }
    this.#channel.onmessage?.(message as JSONRPCMessage);
  }

  /** Transport between this class and the SDK. */
  #createChannel(send: ModernServerOptions["send"]): Transport {
    return {
      start: () => Promise.resolve(),
      send: (message) => {
        const answer = message as SessionMessage;
        if (!this.#tasks?.intercept(answer) && !this.#rounds.intercept(answer)) send(answer);
        return Promise.resolve();
      },
      close: () => Promise.resolve(),
    };
  }

  resourceListChanged(): void {
    this.#streams.resourceListChanged();
  }

  detach(): void {
    this.#tasks?.detach();
  }

  async close(): Promise<void> {
    this.#streams.close();
    this.#tasks?.close();
    await this.#handle.close();
  }
}

function createServer(
  introduction: Introduction,
  { requests, extrasOf, takesTasks }: {
    requests: RequestHandlers;
    /** Extras of a call, by its progress token. */
    extrasOf(key: unknown): CallExtras;
    takesTasks: boolean;
  },
): Server {
  const server = new Server(introduction.serverInfo, {
    capabilities: modernCapabilities(introduction, { takesTasks }) as
      & NonNullable<ConstructorParameters<typeof Server>[1]>["capabilities"]
      & object,
    instructions: introduction.instructions,
    cacheHints: {
      "server/discover": UNCHANGING,
      "tools/list": UNCHANGING,
      "prompts/list": UNCHANGING,
      "resources/templates/list": UNCHANGING,
    },
  });
  for (const [method, handler] of requests.entries()) {
    server.setRequestHandler(method, async ({ params }: { params?: unknown }, { mcpReq }) => {
      const { signal, notify, _meta: meta } = mcpReq;
      try {
        const { progressToken } = meta ?? {};
        const context = { signal, notify, progressToken, ...extrasOf(progressToken) };
        // The SDK checks the result against the schema of its method.
        return await handler(params as RequestParams, context) as never;
      } catch (error) {
        throw withModernCode(error);
      }
    });
  }
  return server;
}

/** Returns the error with this era's code, which its message does not repeat. */
function withModernCode(error: unknown): unknown {
  if (!(error instanceof McpError)) return error;
  return Object.assign(new Error(plainMessage(error)), {
    code: REPLACED_CODES[error.code] ?? error.code,
    data: error.data,
  });
}
