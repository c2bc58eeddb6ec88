// A worker that says it has a client, and at the first follow does nothing more for some seconds.
/// <reference lib="deno.worker" />
import type { HostMessage, WorkerMessage } from "../../src/watch/protocol.ts";

declare const self: DedicatedWorkerGlobalScope;

/** Long after the heartbeats are missed; ends, so that the thread does too. */
const BLOCKED_MS = 3000;

self.onmessage = ({ data }: MessageEvent<HostMessage[]>) => {
  if (data.some(({ kind }) => kind === "setup")) {
    self.postMessage(
      [{ kind: "client", handle: { kind: "process", pid: 4242 }, alive: true }] satisfies WorkerMessage[],
    );
  }
  if (!data.some(({ kind }) => kind === "start")) return;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_MS);
};
