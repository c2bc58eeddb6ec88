// Window options in the session's `options` of a workspace.
// deno-lint-ignore-file camelcase -- the keys are those of the format
import { assertEquals } from "@std/assert";
import { World } from "../support/world.ts";

Deno.test("panes that the session synchronizes get their own commands only", async () => {
  await using world = await World.create();
  const client = await world.serve();
  const files = ["a", "b"].map((name) => `${world.folder}/${name}`);
  const workspace = {
    session_name: "s",
    options: { "synchronize-panes": true },
    windows: [
      { window_name: "both", panes: files.map((file) => ({ shell: "cat", shell_command: file })) },
      { window_name: "apart", options: { "synchronize-panes": false }, panes: ["pane"] },
    ],
  };
  const { windows: [both, apart] } = await client.ok("apply-workspace", { workspace });
  for (const [at, { paneId }] of both.panes.entries()) {
    await client.ok("wait-for-text", { paneId, pattern: files[at], timeout: 20 });
    const shown: string = await client.ok("capture-pane", { paneId });
    assertEquals(files.filter((file) => shown.includes(file)), [files[at]], shown);
  }
  for (const [windowId, synchronized] of [[both.windowId, "on"], [apart.windowId, "off"]]) {
    const { value } = await client.ok("show-option", { option: "synchronize-panes", target: windowId });
    assertEquals(value, synchronized);
  }
});
