// A worker that says it has a client, and crashes at the first follow.
/// <reference lib="deno.worker" />
import type { HostMessage, WorkerMessage } from "../../src/watch/protocol.ts";

declare const self: DedicatedWorkerGlobalScope;

self.onmessage = ({ data }: MessageEvent<HostMessage[]>) => {
  if (data.some(({ kind }) => kind === "setup")) {
    self.postMessage(
      [{ kind: "client", handle: { kind: "process", pid: 4242 }, alive: true }] satisfies WorkerMessage[],
    );
  }
  if (data.some(({ kind }) => kind !== "setup")) throw new Error("crashed on purpose");
};
