// A pane is held until its last follow here releases it; panes that others hold are not touched.
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { completeOptions, type Options } from "../../src/config.ts";
import { Engine } from "../../src/engine.ts";
import { mayCrash } from "../../src/tmux/crash_risk.ts";
import type { Tmux } from "../../src/tmux/tmux.ts";
import { RemainOnExitLeases } from "../../src/watch/remain_on_exit_leases.ts";
import { findPanes, type FoundPane } from "../../src/watch/pane_refs.ts";
import { type PrivateTmux, privateTmux } from "../tmux/private_tmux.ts";
import { until } from "../support/until.ts";
import { within } from "../../src/timer.ts";

class Stage implements AsyncDisposable {
  readonly tmux: Tmux;
  readonly #engine: Engine;

  constructor({ target: { env }, socketPath: socket }: PrivateTmux, options: Partial<Options> = {}) {
    this.#engine = new Engine({ options: completeOptions(options), env });
    this.tmux = this.#engine.connect({ socket });
  }

  get leases(): RemainOnExitLeases {
    return this.#engine.leases;
  }

  /** A pane of its own, as it is found. */
  async pane(...command: string[]): Promise<FoundPane> {
    const text = await this.tmux.run([["new-window", "-d", "-P", "-F", "#{pane_id}", ...command]]);
    return await this.find(text.trim());
  }

  /** tmux 3.2 crashes under control clients, so nothing is read by them there, and nothing held. */
  async holdsNothing(): Promise<boolean> {
    const pane = await this.pane("cat");
    if (!mayCrash(this.tmux.target)) return false;
    assertEquals(await this.leases.lease(this.tmux, pane), undefined);
    return true;
  }

  async find(paneId: string): Promise<FoundPane> {
    const [pane] = await findPanes(this.tmux, [paneId]);
    return pane!;
  }

  /** A pane that is held, as it was found before and as it is found now. */
  async heldPane() {
    const found = await this.pane("cat");
    const first = await this.leases.lease(this.tmux, found);
    assert(first, JSON.stringify(found));
    const held = await this.options(found);
    const again = await this.find(found.paneId);
    assert(again.stays && again.lease !== "", held);
    return { found, first, held, again };
  }

  async options({ paneId }: FoundPane): Promise<string> {
    return (await this.tmux.run([["show-options", "-p", "-t", paneId]])).trim();
  }

  async screen({ paneId }: FoundPane): Promise<string> {
    return await this.tmux.run([["capture-pane", "-p", "-t", paneId]]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine.close();
  }
}

Deno.test("a pane stays held until the last who follows it lets go, however often each does", async () => {
  await using server = await privateTmux();
  await using on = new Stage(server);
  if (await on.holdsNothing()) return;
  const { found, first, held, again } = await on.heldPane();
  const second = await on.leases.lease(on.tmux, again);
  await first();
  await first();
  assertEquals(await on.options(found), held);
  await second!();
  assertEquals(await on.options(found), "");
  await on.leases.lease(on.tmux, found);
  assertEquals(await on.options(found), held);
});

Deno.test("a pane is held for one who found it held, and comes when the other has just let go", async () => {
  await using server = await privateTmux();
  await using on = new Stage(server);
  if (await on.holdsNothing()) return;
  const { found, first, held, again } = await on.heldPane();
  const released = first();
  const second = await on.leases.lease(on.tmux, again);
  await released;
  assertEquals(await on.options(found), held);
  await second!();
  assertEquals(await on.options(found), "");
});

Deno.test("a hold ends whatever has become of the call that began it", async () => {
  await using server = await privateTmux();
  await using on = new Stage(server);
  if (await on.holdsNothing()) return;
  const found = await on.pane("cat");
  const call = new AbortController();
  const release = await on.leases.lease(on.tmux.during(call.signal), found);
  call.abort();
  await release!();
  assertEquals(await on.options(found), "");
});

Deno.test("an engine that is closed has let go of what was held", async () => {
  await using server = await privateTmux();
  await using outside = new Stage(server);
  if (await outside.holdsNothing()) return;
  const found = await outside.pane("cat");
  {
    await using on = new Stage(server);
    await on.leases.lease(on.tmux, found);
    assertNotEquals(await outside.options(found), "");
  }
  assertEquals(await outside.options(found), "");
});

Deno.test("an engine that is closed lets a release in progress end first", async () => {
  await using server = await privateTmux();
  await using outside = new Stage(server);
  if (await outside.holdsNothing()) return;
  const found = await outside.pane("cat");
  // Takes its time, and is killed as the engine closes.
  const tmuxBin = `${server.folder}/slow`;
  await Deno.writeTextFile(tmuxBin, '#!/bin/sh\nsleep 0.1\nexec tmux "$@"\n', { mode: 0o700 });
  {
    await using on = new Stage(server, { tmuxProtocol: false, tmuxBin });
    const release = await on.leases.lease(on.tmux, found);
    void release!();
  }
  assertEquals(await outside.options(found), "");
});

Deno.test("leases close soon though tmux no longer answers", async () => {
  const answers = [Promise.resolve("")];
  const run = () => answers.pop() ?? new Promise<string>(() => {});
  const outlivingCall = () => ({ processStamp: "1 1 here", run });
  const tmux = { target: {}, outlivingCall } as unknown as Tmux;
  const leases = new RemainOnExitLeases({ attach: true }, () => true);
  const dead = { paneId: "%0", serverKey: "1-1", lease: "0 0 here off" } as FoundPane;
  assert(await leases.lease(tmux, dead));
  assertEquals(await within(leases.close(), { ms: 20_000, late: () => "late" }), undefined);
});

Deno.test("a pane has its own value again, or the one that its window has by then", async () => {
  await using server = await privateTmux();
  await using on = new Stage(server);
  if (await on.holdsNothing()) return;
  const set = (flag: string, { paneId }: FoundPane, value: string) =>
    on.tmux.run([["set-option", flag, "-t", paneId, "remain-on-exit", value]]);
  const own = await on.pane("cat");
  await set("-w", own, "on");
  await set("-p", own, "off");
  const release = await on.leases.lease(on.tmux, await on.find(own.paneId));
  assertMatch(await on.options(own), /^remain-on-exit on$/m);
  await release!();
  assertEquals(await on.options(own), "remain-on-exit off");
  for (const [value, stays] of [["on", true], ["failed", true], ["off", false]] as const) {
    const found = await on.pane("read word; exit 3");
    const release = await on.leases.lease(on.tmux, found);
    await set("-w", found, value);
    await on.tmux.run([["send-keys", "-t", found.paneId, "Enter"]]);
    await until(async () => (await on.find(found.paneId)).dead);
    await release!();
    const listed = await on.tmux.run([["list-panes", "-a", "-F", "#{pane_id}"]]);
    assertEquals([value, listed.split("\n").includes(found.paneId)], [value, stays]);
  }
});

Deno.test("what another holds, its owner keeps, or a shell's user leaves, is not held", async () => {
  await using server = await privateTmux();
  await using on = new Stage(server);
  if (await on.holdsNothing()) return;
  const found = await on.pane("cat");
  const other = await new RemainOnExitLeases({ attach: true }, () => false).lease(on.tmux, found);
  assertEquals(await on.leases.lease(on.tmux, found), undefined);
  await other!();
  assertEquals(await new RemainOnExitLeases({ attach: false }, () => false).lease(on.tmux, found), undefined);
  await on.tmux.run([["set-option", "-p", "-t", found.paneId, "remain-on-exit", "on"]]);
  assertEquals(await on.leases.lease(on.tmux, await on.find(found.paneId)), undefined);
  assertEquals(await on.options(found), "remain-on-exit on");
  const shell = await on.pane("exec bash --norc");
  await until(async () => /[$#]/.test(await on.screen(shell)));
  assertEquals(await on.leases.lease(on.tmux, shell), undefined);
});
