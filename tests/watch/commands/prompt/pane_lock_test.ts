// The lock of a pane, taken while the release of the call before is still on its way.
import { assertEquals, assertRejects } from "@std/assert";
import { AppError } from "../../../../src/errors.ts";
import type { Command } from "../../../../src/tmux_exec/exec.ts";
import type { Tmux } from "../../../../src/tmux/tmux.ts";
import { PaneLocks } from "../../../../src/watch/commands/prompt/pane_lock.ts";

const OWNER = { mark: "me", isDead: () => false, isElsewhere: () => false };

/** A tmux whose pane has these locks, one after the other, whoever swaps them; then it takes what is set. */
function tmuxWith(locks: readonly string[]): Tmux {
  const remaining = [...locks];
  const run = (commands: readonly Command[]): Promise<string> => {
    const [, set = ""] = /typing_since" "(.+)"$/.exec(commands[1]?.[5] ?? "") ?? [];
    return Promise.resolve(remaining.shift() ?? set);
  };
  const codec = { format: () => "", parse: (_: unknown, lock: string) => [{ lock }] };
  return { outlivingCall: () => ({ codec, run, unbound: { run } }) } as unknown as Tmux;
}

function lockOf(mark: string): string {
  return `${Math.floor(Date.now() / 1000)} ${crypto.randomUUID()} ${mark}`;
}

Deno.test("a lock that is unset while it is taken over is taken like a free one", async () => {
  const locks = new PaneLocks(OWNER);
  assertEquals((await locks.take(tmuxWith([lockOf("me"), ""]), "%1")).takenOver, false);
  assertEquals((await locks.take(tmuxWith([lockOf("me")]), "%1")).takenOver, true);
});

Deno.test("a lock that another live server takes first is busy, and so is one that never stays free", async () => {
  const locks = new PaneLocks(OWNER);
  const taken = ["", lockOf("other")];
  await assertRejects(() => locks.take(tmuxWith(taken), "%1"), AppError, "another server is typing");
  const restless = Array(9).fill("");
  await assertRejects(() => locks.take(tmuxWith(restless), "%1"), AppError, "another server is typing");
});
