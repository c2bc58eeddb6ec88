// A worker that reports which unneeded things it is permitted to do.
/// <reference lib="deno.worker" />
import type { WorkerMessage } from "../../src/watch/protocol.ts";

declare const self: DedicatedWorkerGlobalScope;

const ATTEMPTS: Readonly<Record<string, () => unknown>> = {
  read: () => Deno.readTextFileSync("/etc/hostname"),
  list: () => [...Deno.readDirSync("/")],
  write: () => Deno.writeTextFileSync("/tmp/tmux-mcp-prying-worker", "x"),
  environment: () => Deno.env.get("HOME"),
  network: () => Deno.listen({ port: 0, hostname: "127.0.0.1" }).close(),
  program: () => new Deno.Command("true").outputSync(),
  library: () => Deno.dlopen("/no/such/library.so", {}),
  system: () => Deno.hostname(),
};

self.onmessage = () => {
  const allowed = Object.keys(ATTEMPTS).filter((name) => {
    try {
      ATTEMPTS[name]!();
      return true;
    } catch (error) {
      return !(error instanceof Deno.errors.NotCapable);
    }
  });
  const message = `It may: ${allowed.join(", ") || "nothing"}`;
  self.postMessage([{ kind: "unusable", code: "internal", message }] satisfies WorkerMessage[]);
};
