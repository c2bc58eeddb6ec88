// Panes that leave their window.
import { assertEquals, assertNotEquals } from "@std/assert";
import { PrintedPane } from "../printed_pane.ts";

Deno.test("tmux 3.7, which crashes without it, gets a name for the window of a pane that leaves others", async () => {
  await using pane = await PrintedPane.create();
  const { tmux, id } = pane;
  const breakOut = async () =>
    await tmux.arrangement.breakOut(id, { snapshot: { ...await tmux.snapshot(), version: "3.7" } });
  await tmux.run([["rename-window", "-t", id, "whole"]]);
  // The only pane moves with its window, whose name tmux 3.7 would change.
  assertEquals((await breakOut()).name, "whole");
  await tmux.run([["split-window", "-d", "-t", id, "cat"]]);
  const { name, panes } = await breakOut();
  assertEquals(panes, 1);
  // Other versions, which keep the name, show that it was given.
  if ((await tmux.snapshot()).version === "3.7") assertNotEquals(name, "x");
  else assertEquals(name, "x");
});
