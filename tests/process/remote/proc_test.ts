import { assertEquals, assertMatch } from "@std/assert";
import type { PaneInspection } from "../../../src/process/probe.ts";
import { PaneServer, settle } from "../panes.ts";
import { remoteSight } from "../remote_sight.ts";

Deno.test({
  name: "memory that a shell with 32-bit arithmetic (mksh) did not print is asked for",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using server = await PaneServer.start();
    await using remote = remoteSight({ bin: "mksh" });
    const pane = await server.open(["bash", "--norc", "--noprofile"]);
    const seen = await settle<PaneInspection>(
      () => remote.inspector.inspect(pane),
      ({ waitingForInput }) => waitingForInput,
    );
    assertEquals([seen.inputKind, seen.isPrompt], ["raw", true]);
    assertMatch(seen.evidence, /^pselect6 on /);
  },
});
