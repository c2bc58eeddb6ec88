// Several watches on one pane: their events come in the order of what it printed.
import { assertEquals } from "@std/assert";
import { World } from "../support/world.ts";

Deno.test("events of watches on one pane come in the order of its lines, whichever watch is older", async () => {
  await using world = await World.create();
  const client = await world.serve();
  const { paneId } = await client.ok("create-session", { command: "bash --norc" });
  const texts = Array.from({ length: 6 }, (_, index) => `needle-${index}`);
  for (let round = 0; round < 3; round++) {
    const ids = new Map<string, string>();
    for (const text of texts.toReversed()) {
      const watch = { paneId, triggers: `pattern:^${text}$`, background: true, timeout: 60 };
      ids.set((await client.ok("watch-pane", watch)).watchId, text);
    }
    await client.ok("execute-command", { paneId, command: `printf 'needle-%s\\n' 0 1 2 3 4 5` });
    const seen: string[] = [];
    for (const late = performance.now() + 20_000; seen.length < texts.length && performance.now() < late;) {
      const { events } = await client.ok("watch-events", { waitSeconds: 5 });
      seen.push(...events.map(({ watchId }: { watchId: string }) => ids.get(watchId)!));
    }
    assertEquals(seen, texts);
  }
});
