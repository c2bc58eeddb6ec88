// Size of the instructions: clients cut what is longer than 2 KB.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { instructionsFor } from "../../src/server/instructions.ts";
import { findOwnPane } from "../../src/tmux/caller.ts";
import { tools } from "../../src/tools/all.ts";

const MAX_BYTES = 2048;

Deno.test("instructions fit into what clients show, with the channel too", () => {
  const visible = new Set(tools.map(({ name }) => name as string));
  for (const channel of [false, true]) {
    for (const safety of ["readonly", "mutating", "destructive"] as const) {
      const text = instructionsFor(visible, { channel, safety }, "%12345");
      const bytes = new TextEncoder().encode(text).length;
      assert(bytes <= MAX_BYTES, `${bytes} bytes, channel ${channel}, ${safety}`);
      assertStringIncludes(text, `Safety is ${safety}`);
    }
  }
});

Deno.test("instructions name the pane that the client runs in, where that is served", () => {
  const inPane = { TMUX: "/tmp/tmux-0/default,1,0", TMUX_PANE: "%3" };
  const cases: [Parameters<typeof findOwnPane>, string | undefined][] = [
    [[inPane, {}], "%3"],
    [[inPane, { socket: "/tmp/tmux-0/default" }], "%3"],
    [[inPane, { socket: "other" }], undefined],
    [[inPane, { ssh: "host" }], undefined],
    [[{ TMUX_PANE: "%3" }, {}], undefined],
    [[{ ...inPane, TMUX_PANE: "words" }, {}], undefined],
  ];
  for (const [args, pane] of cases) assertEquals(findOwnPane(...args), pane);
  const text = instructionsFor(new Set(), { channel: false, safety: "mutating" }, "%3");
  assertStringIncludes(text, "You run in pane %3: no tool types into it or kills it.");
});
