import { assertEquals, assertRejects } from "@std/assert";
import { AppError } from "../../../src/errors.ts";
import { Channels } from "../../../src/tmux/objects/channels.ts";
import type { Exec } from "../../../src/tmux_exec/exec.ts";
import { createProcessExec } from "../../../src/tmux/spawn.ts";
import { delay } from "../../../src/timer.ts";
import { privateTmux } from "../private_tmux.ts";

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

Deno.test("a signal is put back if tmux then does not answer", async () => {
  const putBack = Promise.withResolvers<void>();
  const exec: Exec = (commands) => {
    const [name, flag] = commands.at(-1)!;
    if (name === "wait-for" && flag === "-S") putBack.resolve();
    const isCheck = commands.length === 1 && name === "display-message";
    return isCheck
      ? Promise.reject(new AppError("timeout", "no answer"))
      : Promise.resolve({ code: 0, stdout: new Uint8Array(), stderr: "" });
  };
  const { signal } = new AbortController();
  await assertRejects(
    () => new Channels(exec, "any").wait("ready", { ms: 0, signal }),
    AppError,
    "no answer",
  );
  await putBack.promise;
});

Deno.test("a signal that was there is put back, however late the answer that it was", async () => {
  await using tmux = await privateTmux();
  const exec = createProcessExec(tmux.target);
  const late: Exec = async (commands, options) => {
    const waits = commands.some(([name]) => name === "wait-for");
    const reply = await exec(commands, options);
    if (waits) await delay(500);
    return reply;
  };
  const { signal } = new AbortController();
  await exec([["wait-for", "-S", "built"]]);
  for (let left = 2; left > 0; left--) {
    assertEquals(
      await new Channels(late, tmux.socketPath).wait("built", { ms: 0, signal, keeps: true }),
      true,
    );
  }
  assertEquals(await new Channels(late, tmux.socketPath).wait("built", { ms: 0, signal }), true);
  assertEquals(new TextDecoder().decode((await exec([["show-options", "-s"]])).stdout).match(/^@.*$/m), null);
});

Deno.test("signals that nobody waited for count as one, and wake those who wait", async () => {
  await using tmux = await privateTmux();
  const exec = createProcessExec(tmux.target);
  const channels = new Channels(exec, tmux.socketPath);
  const { signal } = new AbortController();
  for (const times of [1, 2, 3]) {
    for (let left = times; left > 0; left--) await channels.signal("built");
    assertEquals(await channels.wait("built", { ms: 0, signal }), true, `${times} signals`);
  }
  // One call's waiter is left in tmux; the signals after it count as well.
  assertEquals(await channels.wait("late", { ms: 0, signal }), false);
  for (let left = 2; left > 0; left--) await channels.signal("late");
  assertEquals(await channels.wait("late", { ms: 0, signal }), true);
});

Deno.test("a signal to a locked channel follows once it is unlocked", async () => {
  await using tmux = await privateTmux();
  const exec = createProcessExec(tmux.target);
  const channels = new Channels(exec, tmux.socketPath);
  await exec([["wait-for", "-L", "built"]]);
  await assertRejects(() => channels.signal("built"), Error, "a program has locked it");
  await exec([["wait-for", "-U", "built"]]);
  assertEquals((await exec([["wait-for", "built"]])).code, 0);
  assertEquals((await exec([["wait-for", "-L", "built"]])).code, 0);
});
