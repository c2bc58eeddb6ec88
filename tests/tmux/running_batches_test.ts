// Batches end with the engine that runs them, before the C library that they use is unloaded.
import { assertEquals, assertRejects } from "@std/assert";
import { completeOptions } from "../../src/config.ts";
import { Engine } from "../../src/engine.ts";
import { AppError } from "../../src/errors.ts";
import { settled } from "../../src/promises.ts";
import { privateTmux } from "./private_tmux.ts";

Deno.test("an engine is closed once the batches that still run have ended", async () => {
  await using server = await privateTmux();
  const engine = new Engine({ options: completeOptions({}), env: server.target.env });
  const tmux = engine.connect({ socket: server.socketPath });
  await tmux.run([["list-sessions"]]);
  const ended: number[] = [];
  const waits = [1, 2, 3].map(async (number) => {
    const waiting = tmux.run([["wait-for", "never"]]);
    await settled(waiting);
    ended.push(number);
    return await waiting;
  });
  const rejected = Promise.all(
    waits.map((wait) => assertRejects(() => wait, AppError, "The server is shutting down")),
  );
  await tmux.run([["list-sessions"]]);
  await engine.close();
  assertEquals(ended.toSorted(), [1, 2, 3]);
  await rejected;
});
