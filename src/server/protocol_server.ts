// The server's side of a session that begins with `initialize`: the SDK's protocol plus the handshake of its `Server`.
import { elicitation } from "./elicitation.ts";
import type { Introduction } from "./introduction.ts";
import { type RequestHandlers, REQUESTS } from "./requests.ts";
import {
  type ClientCapabilities,
  InitializedNotificationSchema,
  InitializeRequestSchema,
  LATEST_PROTOCOL_VERSION,
  type Notification,
  Protocol,
  type Request,
  type Result,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "./sdk.ts";

/**
 * Replaces the SDK's `Server`, which loads a JSON Schema validator for answers to elicitation. Loading it
 * took a third of the SDK's start, and our only form has no fields.
 */
export class Server extends Protocol<Request, Notification, Result> {
  /** Called when the client has confirmed the introduction. */
  oninitialized?: () => void;
  #clientCapabilities: ClientCapabilities = {};
  #isInitialized = false;

  /** @param introduce Returns the server's introduction for a client of this name */
  constructor(introduce: (clientName: string) => Introduction, requests: RequestHandlers) {
    super();
    // The SDK numbers requests from 0, but its clients ignore a cancellation of request 0 (1.32).
    Reflect.set(this, "_requestMessageId", 1);
    this.setRequestHandler(
      InitializeRequestSchema,
      ({ params: { protocolVersion: asked, capabilities, clientInfo } }) => {
        this.#clientCapabilities = capabilities;
        return {
          protocolVersion: SUPPORTED_PROTOCOL_VERSIONS.includes(asked) ? asked : LATEST_PROTOCOL_VERSION,
          ...introduce(clientInfo.name),
        };
      },
    );
    this.setNotificationHandler(InitializedNotificationSchema, () => {
      this.#isInitialized = true;
      this.oninitialized?.();
    });
    for (const [method, handler] of requests.entries()) {
      this.setRequestHandler(
        REQUESTS[method],
        ({ params }, { signal, sendNotification }) =>
          handler(params, {
            signal,
            progressToken: params?._meta?.progressToken,
            notify: sendNotification,
            askPerson: elicitation(this, this.#clientCapabilities),
          }),
      );
    }
  }

  async sendResourceUpdated(params: { uri: string }): Promise<void> {
    await this.notification({ method: "notifications/resources/updated", params });
  }

  /** Does nothing before the client has initialized. */
  async sendResourceListChanged(): Promise<void> {
    if (!this.#isInitialized) return;
    await this.notification({ method: "notifications/resources/list_changed" });
  }

  // introduction.ts announces the capabilities, requests.ts serves them all; none is required from the client.
  protected override assertCapabilityForMethod(): void {}
  protected override assertNotificationCapability(): void {}
  protected override assertRequestHandlerCapability(): void {}
  protected override assertTaskCapability(): void {}
  protected override assertTaskHandlerCapability(): void {}
}
