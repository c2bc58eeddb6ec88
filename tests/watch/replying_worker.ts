// A worker that posts each reply together with output that came after it.
/// <reference lib="deno.worker" />
import type { HostMessage, WorkerMessage } from "../../src/watch/protocol.ts";

declare const self: DedicatedWorkerGlobalScope;

self.onmessage = ({ data }: MessageEvent<HostMessage[]>) => {
  for (const message of data) {
    if (message.kind === "close") self.postMessage([{ kind: "closed" }] satisfies WorkerMessage[]);
    if (message.kind !== "read") continue;
    const { watchId, id } = message;
    self.postMessage(
      [
        { kind: "reply", watchId, paneId: "%0", id, failed: false, text: "replied" },
        { kind: "bytes", watchId, paneId: "%0", bytes: new Uint8Array() },
      ] satisfies WorkerMessage[],
    );
  }
};
