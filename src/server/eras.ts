// Routes each message to the protocol era it is written in: sessions that begin with `initialize`, or requests that each
// carry their version and capabilities. Era, legacy and modern are the words of the SDK that serves the latter.
import { clientNameOf, envelopeProblem, hasEnvelope, MODERN_METHODS, nameOf } from "./envelope.ts";
import type { Server } from "./protocol_server.ts";
import { internalError, type RequestError } from "./request_errors.ts";
import type { JSONRPCMessage, Transport } from "./sdk.ts";
import { bestEffort } from "../promises.ts";

/** Serves requests that carry their own version. */
export interface ModernEraServer {
  receive(message: JSONRPCMessage): void;
  resourceListChanged(): void;
  /** Called when this process ends: its tasks continue, and their records on disk stay unchanged. */
  detach(): void;
  close(): Promise<void>;
}

export interface Eras {
  /** Serves clients that initialize. */
  legacy: Server;
  /** Loads the server for stateless clients, at their first request. Undefined if only sessions are served. */
  loadModern?: ((send: (message: JSONRPCMessage) => void) => Promise<ModernEraServer>) | undefined;
  serve(clientName: string | undefined, request: () => void): void;
}

/** Replace request ids: the SDK ignores a cancellation of 0 and "", because it checks for a truthy id. */
const STAND_INS: readonly (readonly [id: string | number, standIn: string])[] = [
  [0, "tmux-mcp/request-0"],
  ["", "tmux-mcp/request-"],
];

export class DualEraServer {
  readonly #eras: Eras;
  #modern: Promise<ModernEraServer> | undefined;
  #hasInitialized = false;
  /** Name of the client in the latest `initialize`. */
  #sessionClient: string | undefined;
  /** Name of the client in the latest envelope that had one. */
  #modernClient: string | undefined;

  constructor(eras: Eras) {
    this.#eras = eras;
  }

  async connect(wire: Transport): Promise<void> {
    const session = sessionTransport(wire);
    wire.onmessage = (message, extra) => {
      const isCancel = "method" in message && !("id" in message) &&
        message.method === "notifications/cancelled";
      // The notification doesn't say which era its request belongs to; both ignore ids they don't know.
      if (isCancel) void this.#modern?.then((modern) => modern.receive(message), () => {});
      else if (this.#isModern(message)) return this.#receiveModern(message, wire);
      this.#receiveLegacy(message, () => session.onmessage?.(renameFalsy(message), extra));
    };
    await this.#eras.legacy.connect(session);
  }

  resourceListChanged(): void {
    void this.#modern?.then((modern) => modern.resourceListChanged(), () => {});
  }

  /** Ends this process's part; its tasks continue. */
  async detach(): Promise<void> {
    const modern = await this.#modern?.catch(() => undefined);
    modern?.detach();
  }

  async close(): Promise<void> {
    const modern = await this.#modern?.catch(() => undefined);
    await modern?.close();
    await this.#eras.legacy.close();
  }

  /**
   * True for a message of the modern era. A client that initialized needs no envelope; one that never did
   * must keep sending it after the first.
   */
  #isModern(message: JSONRPCMessage): boolean {
    if (this.#eras.loadModern === undefined || !("method" in message)) return false;
    if (hasEnvelope(message)) return true;
    if (message.method === "initialize") this.#hasInitialized = true;
    if (this.#hasInitialized || !("id" in message)) return false;
    return this.#modern !== undefined || MODERN_METHODS.has(message.method);
  }

  #receiveLegacy(message: JSONRPCMessage, receive: () => void): void {
    if ("method" in message && message.method === "initialize") {
      this.#sessionClient = nameOf(message.params?.clientInfo);
    }
    this.#eras.serve(this.#sessionClient, receive);
  }

  #receiveModern(message: JSONRPCMessage, wire: Transport): void {
    // Ignore failures: the client may be gone.
    const send = (each: JSONRPCMessage): void => void bestEffort(wire.send(each));
    const answerError = (error: RequestError): void => {
      if ("id" in message && message.id !== undefined) send({ jsonrpc: "2.0", id: message.id, error });
    };
    const problem = envelopeProblem(message);
    if (problem) return answerError(problem);
    this.#modern ??= this.#eras.loadModern!(send);
    const clientName = this.#modernClient = clientNameOf(message) ?? this.#modernClient;
    this.#modern.then((modern) => this.#eras.serve(clientName, () => modern.receive(message)))
      .catch((error) => answerError(internalError(error)));
  }
}

/** Returns the transport of the sessions on a wire, which still has to be given their messages. */
function sessionTransport(wire: Transport): Transport {
  const session: Transport = {
    start: () => wire.start(),
    send: (message, options) => wire.send(restoreFalsy(message), options),
    close: () => wire.close(),
    ...(wire.sessionId === undefined ? {} : { sessionId: wire.sessionId }),
  };
  wire.onclose = () => session.onclose?.();
  wire.onerror = (error) => session.onerror?.(error);
  return session;
}

function renameFalsy(message: JSONRPCMessage): JSONRPCMessage {
  if (!("method" in message)) return message;
  if ("id" in message) return { ...message, id: standInOf(message.id) ?? message.id };
  const requestId = message.method === "notifications/cancelled" && standInOf(message.params?.requestId);
  return requestId ? { ...message, params: { ...message.params, requestId } } : message;
}

function standInOf(id: unknown): string | undefined {
  return STAND_INS.find(([falsy]) => falsy === id)?.[1];
}

function restoreFalsy(message: JSONRPCMessage): JSONRPCMessage {
  const [id] = "id" in message && STAND_INS.find(([, standIn]) => standIn === message.id) || [];
  return id === undefined ? message : { ...message, id } as JSONRPCMessage;
}
