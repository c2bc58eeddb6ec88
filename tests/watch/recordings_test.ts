// A recording that can't begin keeps nothing open.
import { assertEquals, assertRejects } from "@std/assert";
import { completeOptions } from "../../src/config.ts";
import { Engine } from "../../src/engine.ts";
import type { OutputFiles } from "../../src/terminal/output_files.ts";
import { Recordings } from "../../src/watch/recordings.ts";
import type { RemainOnExitLeases } from "../../src/watch/remain_on_exit_leases.ts";
import { privateTmux } from "../tmux/private_tmux.ts";

Deno.test("a recording whose pane can't be leased closes its file", async () => {
  await using server = await privateTmux();
  const { target: { env }, socketPath: socket } = server;
  const engine = new Engine({ options: completeOptions({}), env });
  await using _ended = { [Symbol.asyncDispose]: () => engine.close() };
  const lease = (): Promise<never> => Promise.reject(new Error("no lease"));
  const leases = { lease } as unknown as RemainOnExitLeases;
  let isClosed = false;
  const file = { close: () => void (isClosed = true) };
  const files = { create: () => Promise.resolve(file) } as unknown as OutputFiles;
  const recordings = new Recordings({ supervisor: engine.supervisor, leases, files });
  await assertRejects(() => recordings.start(engine.connect({ socket }), "%0", "a.cast"), Error, "no lease");
  assertEquals(isClosed, true);
});
