// A person who is asked, before anything is shown to them.
import { assertRejects } from "@std/assert";
import type { Tmux } from "../../../src/tmux/tmux.ts";
import { Handovers } from "../../../src/watch/handover/handovers.ts";

Deno.test("a question whose caller is gone is asked nobody", async () => {
  const tmux = { machine: {}, socketPath: "/tmp/none" } as unknown as Tmux;
  const request = { tmux, paneId: "%0", until: Infinity, signal: AbortSignal.abort(), quotes: true };
  await assertRejects(() => new Handovers({ handoverNotify: "off" }).ask(request), DOMException, "aborted");
});
