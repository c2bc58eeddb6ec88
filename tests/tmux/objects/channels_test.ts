import { assertEquals, assertRejects } from "@std/assert";
import { Channels } from "../../../src/tmux/objects/channels.ts";
import type { Exec } from "../../../src/tmux/exec.ts";

Deno.test("a wait of no time sees the signal that is there already", async () => {
  const done = { code: 0, stdout: new Uint8Array(), stderr: "" };
  // A signalled channel, at a tmux that takes a moment to answer.
  const exec: Exec = () => new Promise((resolve) => setTimeout(() => resolve(done), 20));
  const channels = new Channels(exec, "any");
  assertEquals(await channels.wait("ready", { ms: 0, signal: new AbortController().signal }), true);
});

Deno.test("a wait that was cancelled before it began takes no signal", async () => {
  let asked = 0;
  const exec: Exec = () => {
    asked++;
    return Promise.resolve({ code: 0, stdout: new Uint8Array(), stderr: "" });
  };
  const signal = AbortSignal.abort(new Error("cancelled"));
  await assertRejects(() => new Channels(exec, "any").wait("ready", { ms: 0, signal }), Error, "cancelled");
  assertEquals(asked, 0);
});
