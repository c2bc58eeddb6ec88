// Errors of wrong arguments, over every parameter of every tool.
import { assert, assertEquals } from "@std/assert";
import { AppError } from "../../src/errors.ts";
import { readArguments } from "../../src/server/arguments.ts";
import { type RegisteredTool, Registry } from "../../src/server/registry.ts";
import { tools } from "../../src/tools/all.ts";

const registry = new Registry(tools, { hosts: [], removedBy: () => undefined });

function complaint(
  { tool, input, wire }: RegisteredTool,
  args: Record<string, unknown>,
): AppError | undefined {
  try {
    readArguments(tool.name, args, { schema: input, wire: wire.inputSchema });
    return undefined;
  } catch (error) {
    assert(error instanceof AppError, String(error));
    return error;
  }
}

/** The words of the schema library, which mean nothing to readers. */
const FOREIGN =
  /invalid input|received|too (?:small|big)|>=|<=|invalid (?:string|option|key):|expected (?:string|number|int)\b|zod/i;
const VALUES = [
  -1,
  1.5,
  1e9,
  "",
  "x",
  "{",
  "1e",
  [],
  [1],
  [""],
  ["x", 2],
  {},
  { "a b": 1 },
  { a: [] },
  true,
];

Deno.test("what is wrong with an argument is a sentence with the value, what is valid and what to do", () => {
  let refused = 0;
  for (const entry of registry.visible()) {
    const { properties } = entry.wire.inputSchema;
    for (const name of Object.keys(properties)) {
      for (const value of VALUES) {
        const error = complaint(entry, { [name]: value });
        if (error === undefined || !error.message.startsWith(`Invalid ${name}`)) continue;
        refused++;
        const said = `${error.message}. ${error.hint}`;
        assert(!FOREIGN.test(error.message), said);
        assert(/^Invalid \S.*: expected \S/.test(error.message), said);
        assert(error.hint !== undefined && error.hint !== "", said);
      }
    }
  }
  assert(refused > 1000, `only ${refused} values were refused`);
});

Deno.test("the sentences", () => {
  const said = (tool: string, args: Record<string, unknown>): string => {
    const { message, hint } = complaint(registry.find(tool)!, args)!;
    return `${message}. ${hint}`;
  };
  assertEquals(
    said("kill-pane", { paneId: "5" }),
    'Invalid paneId "5": expected a pane id such as %5. Call list-panes for valid ones',
  );
  assertEquals(
    said("split-pane", { paneId: "%1", size: 0 }),
    "Invalid size 0: expected at least 1. Give size: percent for the new pane",
  );
  assertEquals(
    said("display-message", { message: "x", duration: 0 }),
    "Invalid duration 0: expected more than 0. Give duration: seconds to show it (default 3)",
  );
  // JSON has no such number, but JSON.parse makes it of 1e400.
  assertEquals(
    said("display-message", { message: "x", duration: Infinity }).split(". ")[0],
    "Invalid duration Infinity: expected a number",
  );
  assertEquals(
    said("screenshot-pane", { paneId: "%1", theme: "blue" }),
    'Invalid theme "blue": expected one of dark, light. Give theme: colors of cells that have none of their own (default "dark")',
  );
  assertEquals(
    said("find-pane-by-position", { windowId: "@1" }),
    'Missing argument "corner" for find-pane-by-position. ' +
      "Valid: top-left, top-right, bottom-left, bottom-right",
  );
  assertEquals(
    said("kill-pane", {}),
    'Missing argument "paneId" for kill-pane. Call list-panes for valid ones',
  );
  assertEquals(
    said("watch-pane", { triggers: {} }).split(". ")[0],
    "Invalid triggers {}: expected text, or a list",
  );
  assertEquals(
    said("call-tools", { calls: [{ name: "list-panes" }] }),
    'Missing key "tool" in calls[0] for call-tools. Valid keys: tool, arguments',
  );
  assertEquals(
    said("execute-command", { paneId: "%1", command: "a".repeat(1_000_001) }).split(". ")[0],
    "Invalid command of 1000001 characters: expected at most 1000000 characters",
  );
  assertEquals(
    said("create-session", { environment: { "a b": "x" } }).split(". ")[0],
    'Invalid environment.a b "x": expected a variable name',
  );
});

Deno.test("what clients and models write otherwise is read as it was meant, and text as it is", () => {
  const read = (tool: string, args: Record<string, unknown>): Record<string, unknown> => {
    const { input, wire } = registry.find(tool)!;
    return readArguments(tool, args, { schema: input, wire: wire.inputSchema });
  };
  const meant = (tool: string, args: Record<string, unknown>, expected: Record<string, unknown>): void => {
    const all = read(tool, args);
    const asked = Object.fromEntries(Object.keys(expected).map((name) => [name, all[name]]));
    assertEquals([tool, asked], [tool, expected]);
  };
  // Text for other types.
  meant("watch-pane", { timeout: " 2.5 ", background: "True" }, { timeout: 2.5, background: true });
  meant("list-panes", { filters: '{"id":"%1"}' }, { filters: { id: "%1" } });
  meant("watch-pane", { paneIds: '["%1","%2"]' }, { paneIds: ["%1", "%2"] });
  meant("watch-pane", { paneIds: "%1" }, { paneIds: ["%1"] });
  // Other types for text.
  meant("set-option", { option: "status", value: 2 }, { value: "2" });
  meant("set-option", { option: "mouse", value: true }, { value: "true" });
  meant("wait-for-text", { paneId: "%1", pattern: 8080 }, { pattern: "8080" });
  meant("wait-for-text", { paneId: "%1", pattern: [8080, "up"] }, { pattern: ["8080", "up"] });
  meant("create-session", { name: 7 }, { name: "7" });
  meant("search-panes", { pattern: "x", history: 9 }, { history: 9 });
  // The same inside of objects.
  meant("create-session", { environment: { PORT: 80, DEBUG: true } }, {
    environment: { PORT: "80", DEBUG: "true" },
  });
  meant("subsearch-buffer", { query: "x", anchor: '{"offsetBytes":"1","matchLen":"2"}' }, {
    anchor: { offsetBytes: 1, matchLen: 2 },
  });
  // Null for what is left out, and where it says something.
  meant("watch-pane", { paneId: "%1", paneIds: null, timeout: "null" }, { paneIds: undefined, timeout: 50 });
  meant("call-tools", { calls: [{ tool: "list-panes", arguments: null }] }, {
    calls: [{ tool: "list-panes", arguments: {} }],
  });
  meant("set-option", { option: "status", value: null }, { value: null });
  meant("pipe-pane", { paneId: "%1", outputPath: null }, { outputPath: null });
  // Text that looks like something else.
  for (const text of ["5", "true", "null", "[1]", '{"a":1}', " x ", ""]) {
    meant("paste-text", { paneId: "%1", text }, { text });
    meant("set-option", { option: "status", value: text }, { value: text });
  }
  assertEquals(
    complaint(registry.find("kill-pane")!, { paneId: null })?.message,
    'Missing argument "paneId" for kill-pane',
  );
  assertEquals(
    complaint(registry.find("create-session")!, { environment: { A: null } })?.message,
    "Invalid environment.A null: expected text",
  );
});
