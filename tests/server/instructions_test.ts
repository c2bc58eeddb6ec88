// Size of the instructions: clients cut what is longer than 2 KB.
import { assert } from "@std/assert";
import { instructionsFor } from "../../src/server/instructions.ts";
import { tools } from "../../src/tools/all.ts";

const MAX_BYTES = 2048;

Deno.test("instructions fit into what clients show, with the channel too", () => {
  const visible = new Set(tools.map(({ name }) => name as string));
  for (const channel of [false, true]) {
    const bytes = new TextEncoder().encode(instructionsFor(visible, channel)).length;
    assert(bytes <= MAX_BYTES, `${bytes} bytes, channel ${channel}`);
  }
});
