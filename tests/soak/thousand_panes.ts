// A thousand panes: listed, searched, read.
import { assert, assertEquals } from "@std/assert";
import { World } from "../support/world.ts";

const COUNT = 1000;
const EACH = 50;

Deno.test("a thousand panes are listed, searched and read", async () => {
  await using world = await World.create();
  const open = ["-n", "quiet", "-d", "echo one of many; exec sleep 600"];
  for (let opened = 0; opened < COUNT; opened += EACH) {
    const more = Array.from({ length: EACH - 1 }, () => [";", "new-window", ...open]);
    await world.tmux("new-session", "-x", "80", "-y", "24", ...open, ...more.flat());
  }
  const client = await world.serve();
  const { panes } = await client.ok("list-panes");
  assertEquals(panes.length, COUNT);
  let total = 0;
  while (total < COUNT) ({ total } = await client.ok("search-panes", { pattern: "one of many", limit: 1 }));
  assertEquals(total, COUNT);
  const { content } = await client.call("capture-pane", { paneId: panes[COUNT - 1].id });
  assert(content[0]?.text?.includes("one of many"), content[0]?.text);
});
