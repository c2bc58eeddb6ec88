// tmux formats.
import { assertEquals, assertThrows } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { checkFormat } from "../../src/policy/formats.ts";

function verdict(format: string, scoped = false, contents = true): string {
  try {
    checkFormat(format, { scoped, contents });
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
  assertThrows(() => checkFormat("#{", { scoped: false, contents: true }), AppError);
});

Deno.test("allow_capture = false: a format shows nothing of what panes and buffers hold", () => {
  for (
    const format of [
      "#{C:secret}",
      "#{C/r:^s}",
      "#{?#{C:a},1,0}",
      "#{copy_cursor_line}",
      "#{=9:mouse_word}",
      "#{buffer_sample}",
    ]
  ) {
    assertEquals(verdict(format), "allowed", format);
    assertEquals(verdict(format, false, false), "denied", format);
  }
  assertEquals(verdict("#{buffer_sample}", true), "denied");
  assertEquals(verdict("#{pane_id} #{COLUMNS} #{client_height}", true, false), "allowed");
});
