// Messages to the host in their order, a pane's bytes gathered into few of them.
import type { WorkerMessage } from "../src/watch/protocol.ts";

type Bytes = WorkerMessage & { kind: "bytes" };

export class Outbox {
  readonly #send: (message: WorkerMessage, transfer: Transferable[]) => void;
  #held: { watchId: string; paneId: string; parts: Uint8Array[]; size: number } | undefined;

  constructor(send: (message: WorkerMessage, transfer: Transferable[]) => void) {
    this.#send = send;
  }

  /** Bytes go out when all that tmux had to tell at once has been looked at; anything else at once, after them. */
  post(message: WorkerMessage): void {
    if (message.kind === "bytes") return this.#hold(message);
    this.#flush();
    this.#send(message, []);
  }

  #hold({ watchId, paneId, bytes }: Bytes): void {
    if (this.#held && (this.#held.watchId !== watchId || this.#held.paneId !== paneId)) this.#flush();
    if (!this.#held) {
      this.#held = { watchId, paneId, parts: [], size: 0 };
      queueMicrotask(() => this.#flush());
    }
    this.#held.parts.push(bytes.slice());
    this.#held.size += bytes.length;
  }

  #flush(): void {
    if (!this.#held) return;
    const { watchId, paneId, parts, size } = this.#held;
    this.#held = undefined;
    const bytes = new Uint8Array(size);
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    this.#send({ kind: "bytes", watchId, paneId, bytes }, [bytes.buffer]);
  }
}
