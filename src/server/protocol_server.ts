// The server's side of a session that begins with `initialize`: the SDK's protocol with the handshake of its own server.
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
 * Stands in for the SDK's `Server`, which loads a JSON Schema validator for the answers to elicitation: that took a third
 * of the SDK's start, and the one form there is here has no fields.
 */
export class Server extends Protocol<Request, Notification, Result> {
  /** Called when the client has taken the introduction. */
  oninitialized?: () => void;
  #clientCapabilities: ClientCapabilities = {};
  #isInitialized = false;

  /** @param introduce Returns the server's introduction to a client of this name. */
  constructor(introduce: (clientName: string) => Introduction, requests: RequestHandlers) {
    super();
    // The SDK numbers requests from 0, and its clients take no cancelling of 0 (1.32).
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

  // server.ts announces and registers capabilities side by side, and requires none of the client.
  protected override assertCapabilityForMethod(): void {}
  protected override assertNotificationCapability(): void {}
  protected override assertRequestHandlerCapability(): void {}
  protected override assertTaskCapability(): void {}
  protected override assertTaskHandlerCapability(): void {}
}
