// Reading a workspace's YAML.
import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { parseWorkspace } from "../../src/workspaces/file.ts";
import { readWorkspace } from "../../src/workspaces/read.ts";

Deno.test("a number is as it was written where it is text, and a number where it is one", async () => {
  const value = await parseWorkspace(`
session_name: 007
environment: { ID: 123456789012345678901, SHA: 1234e56, ZIP: 08080, PYTHON: 3.10, PLAIN: 5, LARGE: 1_000 }
windows:
  - window_index: 0x10
    panes:
      - shell_command: [ 1.50, &cmd 020, *cmd ]
        sleep_before: 1.50
        ready: { port: 8_080 }
`);
  const { name, environment, windows: [window] } = readWorkspace(value, { variables: {} });
  assertEquals([name, environment], ["007", {
    ...{
      ID: "123456789012345678901",
      SHA: "1234e56",
      ZIP: "08080",
      PYTHON: "3.10",
      PLAIN: "5",
      LARGE: "1_000",
    },
  }]);
  const { index, panes: [pane] } = window!;
  assertEquals(pane!.lines.map(({ text, sleepBefore }) => [text, sleepBefore]), [
    ["1.50", 1.5],
    ["020", 1.5],
    ["020", 1.5],
  ]);
  assertEquals([index, pane!.ready], [16, { port: 8080 }]);
});

Deno.test("a variable or script that begins with a dot is a path relative to the file", async () => {
  const value = await parseWorkspace(`
session_name: a
environment: { VIRTUAL_ENV: .venv, HERE: ., UP: ../x, BIN: ./bin, RATIO: .5, PLAIN: a.b }
before_script: .bin/bootstrap.sh --all
windows: [ { environment: { DIR: .cache } } ]
`);
  const read = readWorkspace(value, { variables: {}, base: "/shop/src" });
  const { environment, beforeScript, windows: [window] } = read;
  assertEquals([environment, beforeScript, window!.panes[0]!.environment], [
    {
      ...{ VIRTUAL_ENV: "/shop/src/.venv", HERE: "/shop/src", UP: "/shop/x", BIN: "/shop/src/bin" },
      ...{ RATIO: ".5", PLAIN: "a.b" },
    },
    "/shop/src/.bin/bootstrap.sh --all",
    { DIR: "/shop/src/.cache" },
  ]);
  const source = await parseWorkspace("{ session_name: a, before_script: . ./env.sh, windows: [ {} ] }");
  assertEquals(readWorkspace(source, { variables: {}, base: "/shop" }).beforeScript, ". ./env.sh");
});

Deno.test("y and n are text, as they are to tmuxp, and switches where a switch is expected", async () => {
  const value = await parseWorkspace(`
session_name: n
environment: { N: 4, Y: y, y: N, DEBUG: yes }
windows:
  - window_name: Y
    focus: y
    suppress_history: N
    panes: [ { shell_command: [ ./install.sh, y, !!str n ] } ]
`);
  const { name, environment, windows: [window] } = readWorkspace(value, { variables: {} });
  assertEquals([name, environment], ["n", { N: "4", Y: "y", y: "N", DEBUG: "true" }]);
  const { panes: [pane] } = window!;
  assertEquals([window!.name, window!.focus, pane!.suppressHistory], ["Y", true, false]);
  assertEquals(pane!.lines.map(({ text }) => text), ["./install.sh", "y", "n"]);
});

for (const text of ["session_name: a\nwindows: &w\n- *w\n", "&a\nsession_name: [*a]\n"]) {
  Deno.test(`an alias inside what it names is refused: ${JSON.stringify(text)}`, async () => {
    const error = await assertRejects(() => parseWorkspace(text), AppError);
    assertEquals(error.code, "invalid-argument");
    assertStringIncludes(error.message, "is inside what it stands for");
  });
}

Deno.test("an alias inside another list than its own is read", async () => {
  assertEquals(await parseWorkspace("a: &a [&a x, *a]\n"), { a: ["x", "x"] });
  assertEquals(await parseWorkspace("a: &a [&b x, *b]\nc: [*a, *b]\n"), {
    a: ["x", "x"],
    c: [["x", "x"], "x"],
  });
});

Deno.test("a workspace may have 10,000 panes and commands, however it says them", () => {
  const workspace = (panes: number) => ({
    session_name: "a",
    shell_command_before: Array.from({ length: 199 }, () => "x"),
    windows: [{ panes: ["x"] }, { panes: Array.from({ length: panes }, () => null) }],
  });
  assertEquals(readWorkspace(workspace(48), { variables: {} }).windows[1]!.panes.length, 48);
  const error = assertThrows(() => readWorkspace(workspace(50), { variables: {} }), AppError);
  assertEquals([error.code, error.message], [
    "invalid-argument",
    "Cannot use the workspace: it has more than 10000 panes and commands",
  ]);
});
