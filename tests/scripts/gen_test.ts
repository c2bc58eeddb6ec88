// Generated text says what the schema says, and a region of a page can be replaced without touching the rest.
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import * as z from "zod";
import { withRegion, withRepository } from "../../scripts/gen.ts";
import { cell, fieldNames, typeText } from "../../scripts/gen/schema_text.ts";
import { familyPage, indexPage, registered } from "../../scripts/gen/tool_pages.ts";
import { defineTool } from "../../src/tool.ts";

const sample = defineTool({
  name: "ring-bell",
  title: "Ring",
  description: "Ring it; or not. More words.",
  groups: ["wait"],
  effect: "change",
  input: z.strictObject({
    times: z.int().default(2).describe("How | often"),
    mode: z.enum(["loud", "soft"]),
    panes: z.array(z.string()).optional(),
  }),
  output: z.strictObject({ rung: z.array(z.strictObject({ id: z.string(), at: z.number().optional() })) }),
  targets: () => [],
  run: () => ({ rung: [] }),
});

Deno.test("a tool's section holds its parameters, defaults and answer, as the wire has them", () => {
  const page = familyPage("bells", registered([sample]));
  assertStringIncludes(page, "# Bells\n");
  assertStringIncludes(page, "## `ring-bell`\n\nRing it; or not. More words.\n");
  assertStringIncludes(page, "Effect: change. Scope: primitives. Groups: `@wait`.");
  assertStringIncludes(page, "| `times` | integer | 2 | How \\| often |");
  assertStringIncludes(page, '| `mode` | "loud" or "soft" | required |  |');
  assertStringIncludes(page, "| `panes` | array of string |  |  |");
  assertStringIncludes(page, "| `rung` | array of { id, at? } |  |");
});

Deno.test("the index names each tool with its first sentence", () => {
  const page = indexPage(new Map([["bells", registered([sample])]]));
  assertStringIncludes(page, "| [`ring-bell`](bells.md#ring-bell) | Ring it. | change | primitives |");
});

Deno.test("types are spelled as a person reads them", () => {
  assertEquals(
    typeText({ anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] }),
    "string or array of string",
  );
  assertEquals(typeText({ type: ["string", "null"] }), "string or null");
  assertEquals(typeText({}), "any");
  assertEquals(fieldNames({ type: "object", properties: { a: {}, b: {} }, required: ["b"] }), ["a?", "b"]);
  assertEquals(cell("a|b\n  c"), "a\\|b c");
});

Deno.test("a page's links, badges and clone line follow the repository", () => {
  const page = "[CI](https://h/a/b/actions)\n\ngit clone https://h/a/b && cd b\n[other](https://h/c)\n";
  assertEquals(
    withRepository(page, "https://h/me/fork"),
    "[CI](https://h/me/fork/actions)\n\ngit clone https://h/me/fork && cd fork\n[other](https://h/c)\n",
  );
  assertThrows(() => withRepository("no line", "https://h/me/fork"));
});

Deno.test("withRegion replaces one region and refuses a page without it", () => {
  const page = "top\n<!-- x -->\nold\n<!-- /x -->\nend\n";
  const fresh = withRegion(page, "x", "new");
  assertEquals(fresh.startsWith("top\n<!-- x -->\n"), true);
  assertEquals(fresh.endsWith("<!-- /x -->\nend\n"), true);
  assertEquals(fresh.includes("old"), false);
  assertEquals(withRegion(fresh, "x", "new"), fresh);
  assertThrows(() => withRegion(page, "y", "new"), Error, 'Cannot find the region "y"');
});
