import { assertEquals } from "@std/assert";
import type { PaneInspection } from "../../src/process/probe.ts";
import type { FiredEvent } from "../../src/watch/watch.ts";
import type { WatchSource } from "../../src/watch/watch_source.ts";
import { withExitCodes } from "../../src/commands/known_ending.ts";
import type { TrackedCommand } from "../../src/commands/tracked_command.ts";
import { delay } from "../../src/timer.ts";

const SHELL = 20;

type Front = Pick<PaneInspection, "foregroundPid" | "foregroundGroup"> & { isPrompt?: boolean };

/**
 * An `exit` without an exit code while this is in front; the command ends a second later. If it is over, the pane
 * can't be inspected.
 */
async function fire(
  front: Front,
  { shellPid, isOver = false }: { shellPid?: number; isOver?: boolean } = { shellPid: SHELL },
) {
  const never = Promise.withResolvers<PaneInspection>().promise;
  const inspector = { inspect: () => isOver ? never : { panePid: SHELL, ...front } };
  const tracked = { commandId: "c1", running: !isOver, shellPid, tmux: { machine: { inspector } } };
  const end = () => void Object.assign(tracked, { running: false, exitCode: 7 });
  const left = isOver ? Promise.resolve(end()) : delay(1000).then(end);
  const latest = () => Object.assign(tracked, { left }) as unknown as TrackedCommand;
  const fired = Promise.withResolvers<FiredEvent>();
  const event = { kind: "event", watchId: "w1", paneId: "%1", event: "exit", detail: "It ended", place: 0 };
  const source = {
    panes: [{ paneId: "%1", panePid: SHELL }],
    begin: (_id: string, _part: unknown, { event: report }: { event(fired: unknown): void }) => report(event),
  } as unknown as WatchSource;
  const handlers = { event: fired.resolve, failed: fired.reject };
  await withExitCodes(source, latest).begin("w1", { triggers: [] }, handlers);
  const first = await fired.promise;
  await left;
  return first;
}

Deno.test("an end waits for the exit code while the command's shell is in front, or may be", async () => {
  const fronts = [
    fire({ foregroundPid: SHELL, foregroundGroup: SHELL }),
    // A program of the command has just ended.
    fire({ foregroundPid: SHELL, foregroundGroup: 30 }),
    fire({ foregroundPid: SHELL, foregroundGroup: 30 }, { shellPid: 25 }),
    fire({ foregroundPid: 30, foregroundGroup: 30 }, {}),
  ];
  for (const { detail, ending } of await Promise.all(fronts)) {
    assertEquals([detail, ending], ["Command c1 has ended with exit code 7", { exitCode: 7 }]);
  }
});

Deno.test("an end is reported at once while the command continues with another program or shell", async () => {
  const front = { foregroundPid: 30, foregroundGroup: 30 };
  for (const { detail, ending } of await Promise.all([fire(front), fire({ ...front, isPrompt: true })])) {
    assertEquals([detail, ending], ["It ended", undefined]);
  }
});

Deno.test("an end has the exit code of a command that is over, whatever is in front by then", async () => {
  const { ending } = await fire({ foregroundPid: 30, foregroundGroup: 30 }, {
    shellPid: SHELL,
    isOver: true,
  });
  assertEquals(ending, { exitCode: 7 });
});
