// A program that text is typed into is followed like a command.
import { assertEquals } from "@std/assert";
import { type RawRunOptions, runRaw } from "../../../src/watch/commands/raw_run.ts";
import type { FollowHandlers } from "../../../src/watch/follow.ts";

Deno.test("a resize of the pane reaches the output of a program that text is typed into", async () => {
  const sizes: number[][] = [];
  let handlers!: FollowHandlers;
  await runRaw({
    record: {
      running: false,
      take: () => true,
      resize: (columns: number, rows: number) => sizes.push([columns, rows]),
    },
    supervisor: {
      follow: (_: unknown, given: FollowHandlers) => {
        handlers = given;
        return { ready: Promise.resolve() };
      },
    },
    type: () => Promise.resolve(),
  } as unknown as RawRunOptions);
  handlers.sized?.({ kind: "sized", watchId: "w", paneId: "%0", columns: 200, rows: 40 });
  assertEquals(sizes, [[200, 40]]);
});
