// The record codec's boundaries reach us as they are sent, whatever the tmux and its locale.
import { assertEquals, assertMatch } from "@std/assert";
import { literal, RowCodec } from "../../src/tmux/row_codec.ts";

const FIELDS = { name: "#{session_name}", path: "#{pane_current_path}" };

/** Escaping that tmux 3.5a applies to all that `display-message -p` and the listings print. */
function escaped(printed: string): string {
  // deno-lint-ignore no-control-regex -- they are what is escaped
  return printed.replace(/[\x00-\x08\x0b-\x1f\x7f]/g, (char) => {
    return `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`;
  });
}

Deno.test("a tmux that escapes control characters in what it prints (3.5a) is read all the same", () => {
  const codec = new RowCodec();
  const row = (name: string, path: string): string =>
    `${codec.format(FIELDS).replace(FIELDS.name, name).replace(FIELDS.path, path)}\n`;
  const printed = row("a|b", "/l1\nl2 \x1b[m") + row("", "|.,") + codec.divider + "\nrest\n";
  const [records = "", rest] = codec.split(escaped(printed));
  assertEquals(codec.parse(FIELDS, records), [
    { name: "a|b", path: "/l1\nl2 \\033[m" },
    { name: "", path: "|.," },
  ]);
  assertEquals(rest, "rest\n");
});

/** Escaping of tmux 3.4. */
function withEscapedDollars(printed: string): string {
  return printed.replace(/\$(?=[A-Za-z_{])/g, "\\$");
}

Deno.test("a tmux that puts a backslash before a dollar sign (3.4) is read as one that does not", () => {
  const codec = new RowCodec();
  const values = ["$HOME", "\\$HOME", "\\\\${a}", "$_ $1 $ $é \\", "$(id)"];
  const printed = [
    ...values.map((name) =>
      codec.format(FIELDS).replace(FIELDS.name, () => name).replace(FIELDS.path, "/$a")
    ),
    codec.divider,
    ...values,
    codec.divider,
    "",
  ].join("\n");
  for (const text of [printed, withEscapedDollars(printed)]) {
    const [records = "", ...rest] = codec.split(text);
    assertEquals(codec.parse(FIELDS, records).map(({ name }) => name), values);
    assertEquals(rest.length, 2);
    assertEquals(codec.splitValues(text)[1], values.join("\n") + "\n");
  }
  const screen = "\\$HOME\n";
  assertEquals(codec.split(withEscapedDollars(`${codec.divider}\n`) + screen)[1], screen);
});

Deno.test("the boundaries are printable, and mean nothing in a format, to strftime or to tmux's parser", () => {
  const codec = new RowCodec();
  assertMatch(codec.format({ a: "", b: "", c: "" }) + codec.divider, /^[|.$a-z0-9-]+$/);
  assertEquals(literal(codec.divider), codec.divider);
});
