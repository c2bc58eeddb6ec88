// The lock of a pane, taken while the release of the call before is still on its way.
import { assertEquals, assertRejects } from "@std/assert";
import { AppError, ConnectionLost } from "../../../src/errors.ts";
import { completeOptions } from "../../../src/config.ts";
import { Engine } from "../../../src/engine.ts";
import { bash } from "../../../src/shell/bash.ts";
import type { Command } from "../../../src/tmux_exec/exec.ts";
import type { Tmux } from "../../../src/tmux/tmux.ts";
import { HurriedClock } from "../../support/hurried_clock.ts";
import { until } from "../../support/until.ts";
import { privateTmux } from "../../tmux/private_tmux.ts";
import { PaneLocks } from "../../../src/commands/prompt/pane_lock.ts";

const OWNER = { stamp: "me", isDead: () => false, isElsewhere: () => false, isFromEarlierBoot: () => false };

/**
 * A tmux whose pane has these locks, one after the other, whoever swaps them; then it takes what is set, or keeps
 * `last`.
 */
function tmuxWith(locks: readonly string[], last?: string): Tmux {
  const remaining = [...locks];
  const run = (commands: readonly Command[]): Promise<string> => {
    const [, set = ""] = /typing_since" "(.+)"$/.exec(commands[1]?.[5] ?? "") ?? [];
    return Promise.resolve(remaining.shift() ?? last ?? set);
  };
  const codec = { format: () => "", parse: (_: unknown, lock: string) => [{ lock }] };
  return { outlivingCall: () => ({ codec, run, unbound: { run } }) } as unknown as Tmux;
}

function lockOf(stamp: string, { ageSeconds = 0, id = crypto.randomUUID() as string } = {}): string {
  return `${Math.floor(Date.now() / 1000) - ageSeconds} ${id} ${stamp}`;
}

/** A tmux whose pane has this lock, which changes only as it is swapped. */
function tmuxHolding(lock: string): Tmux {
  let held = lock;
  const run = ([, swap = []]: readonly Command[]): Promise<string> => {
    const [, , , , condition = "", set = ""] = swap;
    if (condition.includes(held.split(" ")[1]!)) held = /typing_since" "(.+)"$/.exec(set)?.[1] ?? held;
    return Promise.resolve(held);
  };
  const codec = { format: () => "", parse: (_: unknown, lock: string) => [{ lock }] };
  return { outlivingCall: () => ({ codec, run, unbound: { run } }) } as unknown as Tmux;
}

const OLD = { ageSeconds: 100_000 };

Deno.test("a lock that is unset while it is taken over is taken like a free one", async () => {
  const locks = new PaneLocks(OWNER);
  assertEquals((await locks.take(tmuxWith([lockOf("me"), ""]), "%1")).takenOver, false);
  assertEquals((await locks.take(tmuxWith([lockOf("me")]), "%1")).takenOver, true);
});

Deno.test("a lock that another live server releases in a moment is taken, and is not taken over", async () => {
  const locks = new PaneLocks(OWNER);
  const other = lockOf("other");
  assertEquals((await locks.take(tmuxWith([other]), "%1")).takenOver, false);
  assertEquals((await locks.take(tmuxWith(["", other, other]), "%1")).takenOver, false);
});

Deno.test("a lock that another live server keeps is busy, and so is one that never stays free", async () => {
  const locks = new PaneLocks(OWNER);
  const kept = tmuxWith([""], lockOf("other"));
  await assertRejects(() => locks.take(kept, "%1"), AppError, "one is being typed there");
  const restless = tmuxWith([], "");
  await assertRejects(() => locks.take(restless, "%1"), AppError, "one is being typed there");
});

Deno.test("a lock is kept for as long as its owner lives, though the machine slept meanwhile", async () => {
  const locks = new PaneLocks(OWNER);
  const other = () => locks.take(tmuxHolding(lockOf("other", OLD)), "%1");
  await assertRejects(other, AppError, "one is being typed there");
  const pane = tmuxHolding(lockOf("me", OLD));
  await locks.take(pane, "%1");
  const id = (await pane.outlivingCall().run([])).split(" ")[1]!;
  const own = () => locks.take(tmuxHolding(lockOf("me", { ...OLD, id })), "%1");
  await assertRejects(own, AppError, "one is being typed there");
});

Deno.test("an old lock of an owner that can't be checked is free", async () => {
  const elsewhere = new PaneLocks({ ...OWNER, isElsewhere: () => true });
  assertEquals((await elsewhere.take(tmuxHolding(lockOf("other", OLD)), "%1")).takenOver, true);
  const unseen = new PaneLocks(undefined);
  assertEquals((await unseen.take(tmuxHolding(lockOf("", OLD)), "%1")).takenOver, true);
});

Deno.test("a lock is released once tmux answers again", async () => {
  using clock = new HurriedClock();
  const tmux = tmuxWith([]).outlivingCall();
  let silent = 3;
  const unbound = {
    run: () => {
      if (silent-- === 3) return Promise.reject(new ConnectionLost("far"));
      if (silent >= 0) return Promise.reject(new AppError("timeout", "tmux does not answer"));
      return Promise.resolve("");
    },
  };
  const pane = { outlivingCall: () => ({ ...tmux, unbound }) } as unknown as Tmux;
  (await new PaneLocks(OWNER).take(pane, "%1")).release();
  await until(() => silent < 0);
  assertEquals(clock.asked.filter((ms) => ms >= 1000), [1000, 2000, 4000]);
});

Deno.test("a lock is released once the loader has ended that a client, which has ended, left at the prompt", async () => {
  await using server = await privateTmux();
  const engine = new Engine({ options: completeOptions({}), env: server.target.env });
  const tmux = engine.connect({ socket: server.socketPath });
  const screen = async () => (await tmux.run([["capture-pane", "-p", "-t", "%0"]])).replaceAll("\n", "");
  const lock = async () => await tmux.run([["show-options", "-p", "-t", "%0"]]);
  try {
    await tmux.run([["respawn-pane", "-k", "-t", "%0", "env PS1=: bash --norc --noprofile"]]);
    await until(async () => await screen() === ":");
    const held = await engine.locks.take(tmux, "%0");
    await tmux.run([["send-keys", "-l", "-t", "%0", "--", bash.loader]]);
    await until(async () => (await screen()).endsWith(bash.loader.trim()));
    held.release(undefined, true);
    await until(async () => (await screen()).endsWith("^C:"));
    await until(async () => await lock() === "");
  } finally {
    await engine.close();
  }
});
