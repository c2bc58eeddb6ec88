// The cursor of a watch's result: what came after the output that the result shows.
import { assert, assertEquals } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";
import { readResult, Watching, WAYS } from "../support/watching.ts";

const LINES = 1500;
/** Prints on for a while after the line that fires. */
const COUNT = `i=0; while [ $i -lt ${LINES} ]; do i=$((i+1)); echo "line $i"; ` +
  `[ $((i % 20)) = 0 ] && sleep 0.01; done; echo over; exec cat`;

for (const [way, args] of Object.entries(WAYS)) {
  const test = inTurnOnOneServer(`cursors of watches, ${way}`, (world) => world.serve({ args }));

  test("no line is lost or doubled between a watch's output and its cursor", async ({ world, client }) => {
    const watching = new Watching(world, client);
    const paneId = await watching.waitingPane(COUNT);
    const { result } = await watching.watch({ paneId, triggers: "pattern:^line 100$" });
    await watching.go(paneId);
    const { output, cursor } = readResult(await result);
    await watching.until(async () => (await watching.screen(paneId)).includes("over"));
    const since = await watching.client.ok("capture-since", { cursor, maxLines: 2 * LINES });
    const numbers = (text: string) => text.split("\n").filter((line) => /^line \d+$/.test(line));
    const [before, after] = [numbers(output), numbers(since.lines.join("\n"))];
    // The line that was being printed is in both, as far as it had come.
    const seen = [...new Set([...before, ...after])];
    assert(before.length + after.length - seen.length <= 1, `${before.at(-1)}, then ${after[0]}`);
    assertEquals(seen.at(-1), `line ${LINES}`);
    assertEquals(seen.length, LINES - Number(seen[0]!.slice("line ".length)) + 1);
  });

  test("a watch of a pane of one empty row has a cursor", async ({ world, client }) => {
    const watching = new Watching(world, client);
    const paneId = await watching.waitingPane("printf '\\033[2J\\033[3J\\033[H\\007'; exec cat");
    await world.tmux("resize-window", "-t", paneId, "-x", "80", "-y", "1");
    const { result } = await watching.watch({ paneId, triggers: "bell" });
    await watching.go(paneId);
    const { event, cursor } = readResult(await result);
    assertEquals(event, "bell");
    assert(cursor, "no cursor");
    await watching.type(paneId, "typed");
    await watching.until(async () => {
      const { lines } = await watching.client.ok("capture-since", { cursor });
      return lines.join().includes("typed");
    });
  });
}
