// A follow of a command's pane, with a source that prints nothing by itself.
import { assertEquals } from "@std/assert";
import type { CommandMark } from "../../src/watch/protocol.ts";
import { Patterns } from "../../workers/patterns.ts";
import { PaneFollow } from "../../workers/pane_follow.ts";
import type { PaneFollowOptions } from "../../workers/pane_follow_options.ts";

function follow(posted: string[], last?: CommandMark): PaneFollow {
  const inspection = { foregroundPid: 10, foregroundGroup: 10, isAlive: true };
  const exitWatch = { poll: () => undefined, close: () => {} };
  const probe = { inspect: () => inspection, startTime: () => "1", watchExit: () => exitWatch };
  const options = {
    pane: { paneId: "%1", panePid: 10, columns: 80 },
    spec: {
      server: { socketArgs: [] },
      triggers: [],
      errorPattern: "x",
      errorIgnorePattern: "",
      marks: { publicId: "abc", secret: "f00d", ...(last && { last }) },
      stream: true,
    },
    probe,
    poller: {},
    patterns: new Patterns(),
    sourceOf: () => ({}),
    placeOfOther: () => undefined,
    pollSoon: () => {},
    post: ({ kind }: { kind: string }) => posted.push(kind),
    failed: (error: unknown) => {
      throw error;
    },
  };
  return new PaneFollow(options as unknown as PaneFollowOptions);
}

Deno.test("a command whose shell ended before its first mark has a gap where the pane shows no more", async () => {
  const posted: string[] = [];
  const pane = follow(posted);
  const died = pane.died();
  pane.rest(undefined);
  await died;
  assertEquals(posted, ["dead", "gap"]);
});

Deno.test("nothing is missing of a command that is over, and something may be of one that runs", () => {
  const [running, over]: string[][] = [[], []];
  follow(running!, { kind: "output" }).gap();
  follow(over!, { kind: "done", status: 0 }).gap();
  assertEquals([running, over], [["gap"], []]);
});
