// Window options in the session's `options` of a workspace.
// deno-lint-ignore-file camelcase -- the keys are those of the format
import { assertEquals } from "@std/assert";
import { inTurnOnOneServer } from "../support/one_server.ts";

const test = inTurnOnOneServer("window options in the options of a session");

test("panes that the session synchronizes get their own commands only", async ({ world, client }) => {
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

test("an element of a window option among the session's is the windows'", async ({ world, client }) => {
  if (!await world.isTmux(3, 3)) return;
  const workspace = {
    ...{ session_name: "s", options: { "pane-colours[1]": "red" } },
    windows: [{ window_name: "a", panes: ["pane"] }],
  };
  await client.ok("apply-workspace", { workspace });
  assertEquals(await world.tmux("show-options", "-wv", "-t", "=s:a", "pane-colours[1]"), "red\n");
});

test("an option in the wrong place is refused with the key that takes it", async ({ client }) => {
  const hints = [];
  for (const where of ["options", "windows"]) {
    const option = where === "options" ? { "set-clipboard": "off" } : { status: "off" };
    const window = { panes: ["pane"], ...(where === "windows" && { options: option }) };
    const workspace = {
      session_name: "s",
      windows: [window],
      ...(where === "options" && { options: option }),
    };
    hints.push((await client.fails("apply-workspace", { workspace })).hint);
  }
  assertEquals(hints, ["Write it under global_options", "Write it under the session's options"]);
  const workspace = {
    session_name: "s",
    global_options: { "set-clipboard": "off" },
    windows: [{ panes: [] }],
  };
  await client.ok("apply-workspace", { workspace });
});

test("a window that is made again gets the session's window options", async ({ world, client }, t) => {
  const described = (options: Record<string, unknown>) => ({
    ...{ session_name: "s", options },
    windows: [{ window_name: "a", panes: ["pane"] }, { window_name: "b", panes: ["pane"] }],
  });
  const workspace = described({ "main-pane-width": 60, "base-index": 3 });
  await client.ok("apply-workspace", { workspace });
  await world.tmux("set-option", "-t", "=s:", "base-index", "7");
  await world.tmux("set-option", "-w", "-t", "=s:a", "main-pane-width", "50");
  const shown = async (target: string, option: string): Promise<string> =>
    (await world.tmux("show-options", "-v", "-t", target, option)).trim();

  await t.step("while the session and its other windows keep theirs", async () => {
    await world.tmux("kill-window", "-t", "=s:b");
    await client.ok("apply-workspace", { workspace });
    assertEquals(await shown("=s:b", "main-pane-width"), "60");
    assertEquals([await shown("=s:a", "main-pane-width"), await shown("=s:", "base-index")], ["50", "7"]);
  });

  await t.step("if policy allows them", async () => {
    await world.tmux("kill-window", "-t", "=s:b");
    const config = `${world.folder}/config.toml`;
    const filter = `[security.command_filter]\nmode = "denylist"\npatterns = ["^rm\\\\b"]\n`;
    await Deno.writeTextFile(config, filter);
    const limited = await world.serve({ args: ["--config", config] });
    const job = described({ "pane-border-format": "#(rm x)" });
    assertEquals((await limited.fails("apply-workspace", { workspace: job })).code, "denied");
    // Nothing sets the existing session's own options.
    const unset = described({ "status-left": "#(rm x)" });
    assertEquals((await limited.ok("apply-workspace", { workspace: unset })).created, false);
  });
});
