// A person who is asked, before anything is shown to them.
import { assertEquals, assertRejects } from "@std/assert";
import type { Tmux } from "../../src/tmux/tmux.ts";
import { Handovers } from "../../src/handover/handovers.ts";
import { within } from "../../src/timer.ts";

Deno.test("a question whose caller is gone is asked nobody", async () => {
  const tmux = { machine: {}, socketPath: "/tmp/none" } as unknown as Tmux;
  const request = { tmux, paneId: "%0", until: Infinity, signal: AbortSignal.abort(), quotes: true };
  await assertRejects(() => new Handovers({ handoverNotify: "off" }).ask(request), DOMException, "aborted");
});

Deno.test("handovers close soon though tmux no longer answers", async () => {
  const asked = Promise.withResolvers<void>();
  const tmux = {
    machine: { inspector: { inspect: () => (asked.resolve(), new Promise(() => {})) } },
    snapshot: () => Promise.resolve({ serverKey: "1-1", panes: [{ paneId: "%0" }] }),
    sees: () => true,
  } as unknown as Tmux;
  const handovers = new Handovers({ handoverNotify: "off" });
  const { signal } = new AbortController();
  void handovers.ask({ tmux, paneId: "%0", until: Infinity, signal, quotes: true });
  await asked.promise;
  assertEquals(await within(handovers.close(), { ms: 20_000, late: () => "late" }), undefined);
});
