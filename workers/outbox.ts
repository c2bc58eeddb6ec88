// Posts messages to the host in order: those of one turn together, and a pane's bytes in few messages.
import { concatBytes } from "../src/bytes.ts";
import type { WorkerMessage } from "../src/watch/protocol.ts";

type Bytes = WorkerMessage & { kind: "bytes" };

export class Outbox {
  readonly #send: (messages: WorkerMessage[], transfer: Transferable[]) => void;
  #messages: WorkerMessage[] = [];
  #transfer: Transferable[] = [];
  #held: { watchId: string; paneId: string; parts: Uint8Array[] } | undefined;

  constructor(send: (messages: WorkerMessage[], transfer: Transferable[]) => void) {
    this.#send = send;
  }

  /** Queues a message, posted once all that tmux sent together has been read: each post wakes the host. */
  post(message: WorkerMessage): void {
    if (this.#messages.length === 0 && !this.#held) queueMicrotask(() => this.#flush());
    if (message.kind === "bytes") return this.#hold(message);
    this.#release();
    this.#messages.push(message);
  }

  #flush(): void {
    this.#release();
    this.#send(this.#messages, this.#transfer);
    this.#messages = [];
    this.#transfer = [];
  }

  #hold({ watchId, paneId, bytes }: Bytes): void {
    if (this.#held && (this.#held.watchId !== watchId || this.#held.paneId !== paneId)) this.#release();
    this.#held ??= { watchId, paneId, parts: [] };
    this.#held.parts.push(bytes.slice());
  }

  /** Puts the held bytes in their place among the messages. */
  #release(): void {
    if (!this.#held) return;
    const { watchId, paneId, parts } = this.#held;
    this.#held = undefined;
    const bytes = concatBytes(parts);
    this.#messages.push({ kind: "bytes", watchId, paneId, bytes });
    this.#transfer.push(bytes.buffer);
  }
}
