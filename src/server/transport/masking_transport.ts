// Masks every message that is sent to the client: answers, resources, notifications, logs.
import type { MessageMasks } from "../../masking/message_masks.ts";
import type { JSONRPCMessage, Transport } from "../sdk.ts";

export class MaskingTransport implements Transport {
  // Declared, so that exactOptionalPropertyTypes accepts the SDK assigning undefined.
  onmessage?: NonNullable<Transport["onmessage"]>;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  readonly #inner: Transport;
  readonly #masks: MessageMasks;

  constructor(inner: Transport, masks: MessageMasks) {
    this.#inner = inner;
    this.#masks = masks;
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message, extra) => this.onmessage?.(message, extra);
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onclose = () => this.onclose?.();
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage, options?: Parameters<Transport["send"]>[1]): Promise<void> {
    await this.#inner.send(this.#masks.mask(message), options);
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }
}
