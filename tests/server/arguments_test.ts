// What is said of wrong arguments, over every parameter of every tool.
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

/** The words of the schema library, which mean nothing to who reads them. */
const FOREIGN =
  /invalid input|received|too (?:small|big)|>=|<=|invalid (?:string|option|key)|expected (?:string|number|int)\b|zod/i;
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
  null,
];

Deno.test("what is wrong with an argument is a sentence with the value, what is valid and what to do", () => {
  let refused = 0;
  for (const entry of registry.visible()) {
    const { properties } = entry.wire.inputSchema;
    for (const name of Object.keys(properties)) {
      for (const value of VALUES) {
        const error = complaint(entry, { [name]: value });
        if (error === undefined || !error.message.includes(`"${name}`)) continue;
        refused++;
        const said = `${error.message}. ${error.hint}`;
        assert(!FOREIGN.test(error.message), said);
        assert(/ cannot be \S+.*: (?:it must|it has|expected) /.test(error.message), said);
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
    'Argument "paneId" of kill-pane cannot be "5": expected a pane id such as %5. paneId: Such as %5; call list-panes for valid ones',
  );
  assertEquals(
    said("split-pane", { paneId: "%1", size: 0 }),
    'Argument "size" of split-pane cannot be 0: it must be at least 1. size: Percent of the space that the new pane takes',
  );
  assertEquals(
    said("display-message", { message: "x", duration: 0 }),
    'Argument "duration" of display-message cannot be 0: it must be more than 0. duration: Seconds',
  );
  assertEquals(
    said("screenshot-pane", { paneId: "%1", theme: "blue" }),
    'Argument "theme" of screenshot-pane cannot be "blue": it must be one of dark, light. Valid: dark, light',
  );
  assertEquals(
    said("kill-pane", {}),
    'Missing argument "paneId" for kill-pane. paneId: Such as %5; call list-panes for valid ones',
  );
  assertEquals(
    said("watch-pane", { triggers: 5 }).split(". ")[0],
    'Argument "triggers" of watch-pane cannot be 5: it must be text, or a list',
  );
  assertEquals(
    said("create-session", { environment: { "a b": "x" } }).split(". ")[0],
    'Argument "environment.a b" of create-session cannot be "x": expected a variable name',
  );
});
