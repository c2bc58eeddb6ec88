import { assertEquals } from "@std/assert";
import { Channels } from "../../src/tmux/channels.ts";
import type { Exec } from "../../src/tmux/exec.ts";

Deno.test("a wait of no time sees the signal that is there already", async () => {
  const done = { code: 0, stdout: new Uint8Array(), stderr: "" };
  // A signalled channel, at a tmux that takes a moment to answer.
  const exec: Exec = () => new Promise((resolve) => setTimeout(() => resolve(done), 20));
  const channels = new Channels(exec, "any");
  assertEquals(await channels.wait("ready", { ms: 0, signal: new AbortController().signal }), true);
});
