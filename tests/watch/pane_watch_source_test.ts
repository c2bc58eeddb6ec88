// A watch that can't begin leaves its panes as they were.
import { assertEquals, assertRejects } from "@std/assert";
import { completeOptions } from "../../src/config.ts";
import { Engine } from "../../src/engine.ts";
import type { Tmux } from "../../src/tmux/tmux.ts";
import { paneWatchSource } from "../../src/watch/pane_watch_source.ts";
import type { FoundPane } from "../../src/watch/pane_refs.ts";
import type { ReleaseLease, RemainOnExitLeases } from "../../src/watch/remain_on_exit_leases.ts";
import type { Command } from "../../src/tmux_exec/exec.ts";
import { until } from "../support/until.ts";
import { privateTmux } from "../tmux/private_tmux.ts";

Deno.test("a watch on several panes releases those that it had got before one failed", async () => {
  await using server = await privateTmux();
  const { target: { env }, socketPath: socket } = server;
  const engine = new Engine({ options: completeOptions({}), env });
  await using _ended = { [Symbol.asyncDispose]: () => engine.close() };
  const tmux = engine.connect({ socket });
  await tmux.run([["split-window", "-d", "-t", "%0", "cat"]]);
  const held = new Set(["%0"]);
  const release = (): Promise<void> => Promise.resolve(void held.delete("%0"));
  const lease = (_tmux: Tmux, { paneId }: FoundPane): Promise<ReleaseLease> =>
    held.has(paneId) ? Promise.resolve(release) : Promise.reject(new Error("no lease"));
  const leases = { lease } as unknown as RemainOnExitLeases;
  const { supervisor } = engine;
  const options = { supervisor, leases, errorPattern: "", errorIgnorePattern: "" };
  const source = await paneWatchSource(tmux, ["%0", "%1"], options);
  const begun = source.begin("w", { triggers: [] }, { failed: () => {} });
  await assertRejects(() => begun, Error, "no lease");
  assertEquals([...held], []);
});

Deno.test("a source finds which of its panes has ended", async () => {
  await using server = await privateTmux();
  const { target: { env }, socketPath: socket } = server;
  const engine = new Engine({ options: completeOptions({}), env });
  await using _ended = { [Symbol.asyncDispose]: () => engine.close() };
  const tmux = engine.connect({ socket });
  const place = ["split-window", "-d", "-t", "%0"];
  await tmux.run([[...place, "cat"], ["set-option", "-g", "remain-on-exit", "on"], [
    ...place,
    "read word; exit 3",
  ]]);
  const endedOf = async (change: Command, ...paneIds: string[]) => {
    const source = await engine.watches.paneSource(tmux, paneIds);
    assertEquals(await source.ended!(), undefined);
    await tmux.run([change]);
    await until(async () => await source.ended!() !== undefined);
    return (await source.ended!())?.paneId;
  };
  assertEquals(await endedOf(["kill-pane", "-t", "%1"], "%0", "%1"), "%1");
  assertEquals(await endedOf(["send-keys", "-t", "%2", "Enter"], "%0", "%2"), "%2");
});
