import { assertEquals } from "@std/assert";
import { isHook, optionEffect } from "../../src/tools/option_commands.ts";

Deno.test("options that run commands count as typing", () => {
  const input = [
    ["default-command", "bash"],
    ["default-comm", "bash"],
    ["default-s", "/bin/evil"],
    ["copy-command", "cat"],
    ["lock-command", "cat"],
    ["some-new-command", "cat"],
    ["editor", "vi"],
    ["command-alias[3]", "x=run-shell y"],
    ["status-left", "#(touch x)"],
    ["status-left", "#{E:@x}"],
    ["@mine", "#(touch x)"],
    ["@resurrect-hook-post-save-all", "touch x"],
    ["@override_copy_command", "touch x"],
    ["@thumbs-command[0]", "touch x"],
    ["@resurrect-save-script-path", "/tmp/x"],
    ["after-new-window", "run-shell x"],
    ["pane-died[1]", "run-shell x"],
  ] as const;
  for (const [option, value] of input) assertEquals(optionEffect({ option, value }), "input", option);
  const change = [
    ["status", "on"],
    ["history-limit", "5000"],
    ["status-left", "#S"],
    [
      "default-command",
      null,
    ],
    ["@description", "x"],
    ["@mine", "touch x"],
    ["@resurrect-hook-post-save-all", null],
  ] as const;
  for (const [option, value] of change) assertEquals(optionEffect({ option, value }), "change", option);
  for (const value of ["on", "keep-last", "", null]) {
    assertEquals(optionEffect({ option: "destroy-unattached", value }), "destroy", `${value}`);
  }
  for (const value of ["off", "no", "0"]) {
    assertEquals(optionEffect({ option: "exit-unattached", value }), "change", value);
  }
  const hooks = ["pane-died", "session-created[0]", "window-linked", "pane-prompt-opened", "window-unzoomed"];
  assertEquals(hooks.filter((name) => !isHook(name)), []);
  assertEquals(["window-style", "status", "pane-border-style", "window-size"].some(isHook), false);
});
