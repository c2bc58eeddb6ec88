// A program that text is typed into is followed like a command.
import { assert, assertEquals } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import type { CommandEvent } from "../../src/commands/command_state.ts";
import { type RawRunOptions, runRaw } from "../../src/commands/raw_run.ts";
import type { FollowHandlers } from "../../src/watch/follow.ts";

Deno.test("a resize of the pane reaches the output of a program that text is typed into", async () => {
  const sizes: number[][] = [];
  let handlers!: FollowHandlers;
  await runRaw({
    tracked: {
      running: false,
      take: () => true,
      resize: (columns: number, rows: number) => sizes.push([columns, rows]),
    },
    supervisor: {
      follow: (_: unknown, given: FollowHandlers) => {
        handlers = given;
        return { ready: Promise.resolve(), send: () => Promise.resolve("") };
      },
    },
    type: () => Promise.resolve(),
  } as unknown as RawRunOptions);
  handlers.sized?.({ kind: "sized", watchId: "w", paneId: "%0", columns: 200, rows: 40 });
  assertEquals(sizes, [[200, 40]]);
});

Deno.test("a program that has not woken for its text is not done with it", async () => {
  let looks = 0;
  const inspection = {
    ...{ foregroundPid: 10, foregroundCmd: "bash", shell: "bash", waitingForInput: true },
    evidence: "read on /dev/pts/1",
  };
  const done = Promise.withResolvers<void>();
  await runRaw({
    tracked: {
      running: true,
      take: () => true,
      leave: () => Promise.resolve(done.resolve()),
    },
    supervisor: {
      follow: () => ({ ready: Promise.resolve(), send: () => Promise.resolve(""), stop() {} }),
    },
    pane: {},
    inspector: { inspect: () => (looks++, inspection), sleeps: () => looks < 10 ? 1 : 2 },
    type: () => Promise.resolve(),
  } as unknown as RawRunOptions);
  await done.promise;
  assert(looks >= 10, `done after ${looks} looks`);
});

Deno.test("a typed text that can't be followed any more is lost for a reason", async () => {
  const events: CommandEvent[] = [];
  let handlers!: FollowHandlers;
  await runRaw({
    tracked: {
      running: false,
      take: () => true,
      leave: (event: CommandEvent) => Promise.resolve(events.push(event)),
    },
    supervisor: {
      follow: (_: unknown, given: FollowHandlers) => {
        handlers = given;
        return { ready: Promise.resolve(), send: () => Promise.resolve(""), stop() {} };
      },
    },
    type: () => Promise.resolve(),
  } as unknown as RawRunOptions);
  handlers.failed(new AppError("internal", "The watch worker crashed"));
  assertEquals(events, [{ kind: "failed", reason: "The watch worker crashed" }]);
});
