// tmux formats and options that run commands.
import { assertEquals, assertThrows } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { checkFormat } from "../../src/policy/formats.ts";
import { isHook, optionEffect } from "../../src/policy/options.ts";

function verdict(format: string, scoped = false): string {
  try {
    checkFormat(format, scoped);
    return "allowed";
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

Deno.test("`#(cmd)` in names, titles, paths, messages, options, display-message runs a shell", () => {
  const refused = [
    "#(touch x)",
    "a#(b)",
    "##(b)",
    "#{?1,#(b),}",
    "#{E:status-left}",
    "#{T:status-left}",
    "#{=5;E:status-left}",
    "#{E;l:x}",
    "#{?a,#{E:@x},b}",
    "#{s/a/b/;T:x}",
  ];
  for (const format of refused) assertEquals(verdict(format), "denied", format);
  const fine = [
    "#{pane_id}",
    "plain",
    "#S:#I",
    "#{?pane_active,a,b}",
    "#{=10:pane_title}",
    "#{E}",
    "#{TERM}",
    "50%",
    "#[fg=red]x",
  ];
  for (const format of fine) assertEquals(verdict(format, true), "allowed", format);
});

Deno.test("under a scope a format looks at nothing but its own pane", () => {
  for (
    const format of [
      "#{S:#{session_name}}",
      "#{W:x}",
      "#{P:x}",
      "#{L:x}",
      "#{N/s:ops}",
      "#{S/n:x}",
      "#{Wr:x}",
    ]
  ) {
    assertEquals(verdict(format), "allowed", format);
    assertEquals(verdict(format, true), "denied", format);
  }
});

Deno.test("what is no format is refused", () => {
  for (const format of ["#{pane_id", "#{?a,#{b}", "#{a#}"]) {
    assertEquals(verdict(format), "invalid-argument", format);
  }
  assertThrows(() => checkFormat("#{", false), AppError);
});

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
    ["after-new-window", "run-shell x"],
    ["pane-died[1]", "run-shell x"],
  ] as const;
  for (const [option, value] of input) assertEquals(optionEffect(option, value), "input", option);
  const change = [["status", "on"], ["history-limit", "5000"], ["status-left", "#S"], [
    "default-command",
    null,
  ]] as const;
  for (const [option, value] of change) assertEquals(optionEffect(option, value), "change", option);
  assertEquals(["pane-died", "session-created[0]", "window-linked"].every(isHook), true);
  assertEquals(["window-style", "status", "pane-border-style", "window-size"].some(isHook), false);
});
