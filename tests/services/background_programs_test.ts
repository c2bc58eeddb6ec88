// The port of a program that a service's command has left in the background.
import { assertEquals } from "@std/assert";
import { findBackground } from "../../src/services/background_programs.ts";
import type { Tmux } from "../../src/tmux/tmux.ts";

/** A tmux whose pane has these programs at each look, and listens from the given look on. */
function tmuxWith(looks: readonly number[][], listensAt: number): Tmux {
  let look = -1;
  const inspector = {
    listening: () => ++look < listensAt ? [] : [{ pid: 7, port: 80, address: "::", command: "web" }],
    youngerThan: () => looks[look] ?? [],
    taken: () => [],
  };
  const pane = { paneId: "%1", panePid: 5, dead: false };
  return {
    machine: { inspector },
    rows: { read: () => Promise.resolve(pane) },
    sees: () => true,
  } as unknown as Tmux;
}

async function isReady(looks: readonly number[][], listensAt: number): Promise<boolean> {
  const now = performance.now();
  const found = await findBackground(tmuxWith(looks, listensAt), {
    paneId: "%1",
    detail: "Exited with code 0",
    port: 80,
    typedAt: now,
    until: now + 5000,
    signal: new AbortController().signal,
  });
  return found?.ready === true;
}

Deno.test("a program that one look misses is waited for, and one that two miss is not there", async () => {
  assertEquals(await isReady([[7], [], [7]], 3), true);
  assertEquals(await isReady([[], [7]], 2), true);
  assertEquals(await isReady([[7], [], []], 3), false);
});
