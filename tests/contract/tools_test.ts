// Laws over all tools: what the contract says of each is data here, and no declaration may say otherwise.
import { assert, assertEquals } from "@std/assert";
import type * as z from "zod";
import { ERROR_CODES } from "../../src/errors.ts";
import { resources } from "../../src/resources/all.ts";
import { Registry } from "../../src/server/registry.ts";
import { type ObjectSchema, parameterSchema, type PropertySchema } from "../../src/server/wire.ts";
import { type Effect, GROUPS } from "../../src/tool.ts";
import { tools } from "../../src/tools/all.ts";
import { type PromptSource, promptTools } from "../../src/tools/prompts.ts";
import type { PolicySettings } from "../../src/policy/types.ts";
import { findRemoval } from "../../src/policy/visibility.ts";
import { policyWith } from "../policy/fixture.ts";

/** Effect, groups beside @all and @read, and the scope unless only "primitives" shows it. */
type Entry = [effect: Effect, groups: string, scope?: "agentic" | "both"];

const CONTRACT: Readonly<Record<string, Entry>> = {
  "start-and-watch": ["input", "execute", "agentic"],
  "watch-pane": ["read", "watch", "agentic"],
  "watch-events": ["read", "watch", "agentic"],
  "stop-watch": ["read", "watch", "agentic"],
  "pane-state": ["read", "watch", "agentic"],
  "ensure-service": ["input", "execute", "agentic"],
  "stop-service": ["destroy", "kill", "agentic"],
  "list-services": ["read", "list", "agentic"],
  "apply-workspace": ["input", "create split execute", "agentic"],
  "freeze-workspace": ["read", "", "agentic"],
  "run-in-repl": ["input", "interactive raw-input", "agentic"],
  "write-to-display": ["change", "", "agentic"],
  "display-message": ["change", "", "agentic"],

  "list-sessions": ["read", "list", "both"],
  "find-session": ["read", "list"],
  "get-session-info": ["read", ""],
  "get-current-session": ["read", "list"],
  "create-session": ["change", "create", "both"],
  "rename-session": ["change", "rename"],
  "kill-session": ["destroy", "kill", "both"],
  "get-server-info": ["read", "socket"],
  "list-servers": ["read", "list socket"],
  "kill-server": ["destroy", "kill"],
  "socket-for-path": ["read", "socket"],
  "list-clients": ["read", "list"],
  "detach-client": ["destroy", "kill"],

  "list-windows": ["read", "list"],
  "get-window-info": ["read", ""],
  "create-window": ["change", "create"],
  "rename-window": ["change", "rename"],
  "kill-window": ["destroy", "kill"],
  "move-window": ["change", "move"],
  "select-window": ["change", "move"],
  "select-layout": ["change", "move"],
  "resize-window": ["change", "move"],
  "set-synchronize-panes": ["change", "move"],

  "list-panes": ["read", "list", "both"],
  "get-pane-info": ["read", ""],
  "find-pane-by-position": ["read", ""],
  "split-pane": ["change", "split", "both"],
  "rename-pane": ["change", "rename"],
  "kill-pane": ["destroy", "kill", "both"],
  "select-pane": ["change", "move"],
  "resize-pane": ["change", "move"],
  "zoom-pane": ["change", "move"],
  "join-pane": ["change", "move"],
  "break-pane": ["change", "move"],
  "swap-pane": ["change", "move"],
  "respawn-pane": ["destroy", "kill"],
  "clear-pane": ["destroy", "kill"],
  "pipe-pane": ["input", "options"],
  "enter-copy-mode": ["change", "move"],
  "exit-copy-mode": ["change", "move", "both"],
  "record-pane": ["change", "capture"],

  "capture-pane": ["read", "capture", "both"],
  "capture-since": ["read", "capture", "both"],
  "snapshot-pane": ["read", "capture"],
  "search-panes": ["read", "capture", "both"],
  "screenshot-pane": ["read", "capture", "both"],
  "open-live-view": ["read", "capture"],
  "expand-format": ["read", "options"],

  "ask-person": ["change", "wait", "agentic"],
  "execute-command": ["input", "execute", "both"],
  "get-command-result": ["read", "execute", "both"],
  "list-commands": ["read", "list execute", "both"],
  "send-keys": ["input", "interactive raw-input", "both"],
  "send-hex": ["input", "interactive raw-input"],
  "paste-text": ["input", "interactive raw-input"],
  ...Object.fromEntries(
    "enter tab escape backspace up down left right page-up page-down home end cancel eof".split(" ").map(
      (key): [string, Entry] => [`send-${key}`, ["input", "special-keys raw-input"]],
    ),
  ),

  "wait-for-text": ["read", "wait"],
  "wait-for-content-change": ["read", "wait"],
  "wait-for-channel": ["read", "wait"],
  "signal-channel": ["change", "wait"],

  "list-buffers": ["read", "list buffer-read"],
  "show-buffer": ["read", "buffer-read"],
  "set-buffer": ["change", "buffer-write"],
  "append-buffer": ["change", "buffer-write"],
  "load-buffer": ["change", "buffer-write"],
  "save-buffer": ["change", "buffer-write"],
  "rename-buffer": ["change", "buffer-write"],
  "delete-buffer": ["destroy", "buffer-write"],
  "paste-buffer": ["input", "interactive raw-input"],
  "search-buffer": ["read", "buffer-read"],
  "subsearch-buffer": ["read", "buffer-read"],

  "show-option": ["read", "options"],
  "set-option": ["change", "options"],
  "show-environment": ["read", "options"],
  "set-environment": ["change", "options"],
  "show-hooks": ["read", "list"],
  "show-hook": ["read", ""],

  "call-tools": ["read", "", "agentic"],
  "list-prompts": ["read", "", "both"],
  "get-prompt": ["read", "", "both"],
};

/** Tools that answer plain text or an image. */
const TEXT = ["capture-pane", "display-message", "freeze-workspace", "screenshot-pane", "show-buffer"];
const ALWAYS_LOADED = ["capture-pane", "execute-command", "list-panes"];
const MAX_FIRST_SENTENCE_WORDS = 25;
const MAX_LIST_BYTES = 116 * 1024;
const MAX_INPUT_BYTES = 44 * 1024;
/** Bytes that a model reads of one tool, and of all tools in the default scope. */
const MAX_TOOL_BYTES = 1400;
const MAX_DEFAULT_BYTES = 14 * 1024;

const HINTS: Readonly<
  Record<Effect, [readOnly: boolean, destructive: boolean, idempotent: boolean, open: boolean]>
> = {
  read: [true, false, true, false],
  change: [false, false, false, false],
  input: [false, true, false, true],
  destroy: [false, true, false, false],
};

const registry = new Registry(tools, { hosts: [], removedBy: () => undefined });
const wires = registry.visible().map((entry) => entry.wire);

/** Every schema in a schema. */
function parts(schema: PropertySchema): PropertySchema[] {
  const children = Object.values(schema).flatMap((value) =>
    typeof value === "object" && value !== null ? [value] : []
  );
  return [schema, ...children.flatMap((child) => parts(child as PropertySchema))];
}

function isStrict(schema: ObjectSchema): boolean {
  const objects = parts(schema as unknown as PropertySchema).filter((part) => part.properties !== undefined);
  return schema.type === "object" && objects.every((part) => part.additionalProperties === false);
}

Deno.test("the tools are those of the contract, each as the contract has it", () => {
  const all = [...tools, ...promptTools(() => ({}) as PromptSource)];
  assertEquals(all.map(({ name }) => name).toSorted(), Object.keys(CONTRACT).toSorted());
  for (const tool of all) {
    const [effect, groups, scope] = CONTRACT[tool.name]!;
    const own = tool.groups.filter((group) => group !== "all" && group !== "read");
    assertEquals(
      [tool.name, tool.effect, own.toSorted().join(" "), tool.scope],
      [tool.name, effect, groups.split(" ").toSorted().join(" "), scope],
    );
  }
});

Deno.test("groups are named, of the closed list, and never wrongly @read", () => {
  for (const { name, groups, effect } of tools) {
    assert(groups.length > 0, `${name} is in no group`);
    assert(groups.every((group) => GROUPS.includes(group)), name);
    assert(effect === "read" || !groups.includes("read"), name);
  }
});

Deno.test("names are kebab-case and tools have a title, a description and all four hints of their effect", () => {
  for (const tool of tools) {
    const wire = registry.find(tool.name)!.wire;
    assert(/^[a-z]+(-[a-z]+)+$/.test(tool.name), tool.name);
    assert(wire.title !== "" && wire.annotations.title === wire.title, tool.name);
    const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = wire.annotations;
    const hints = [readOnlyHint, destructiveHint, idempotentHint, openWorldHint];
    assertEquals([tool.name, ...hints], [
      tool.name,
      ...HINTS[(tool.announcedEffect ?? tool.effect) as Effect],
    ]);
  }
});

Deno.test("descriptions begin with one short sentence and name only tools there are", () => {
  const verbs = new Set(
    Object.keys(CONTRACT).map((name) => name.split("-")[0]).filter((word) => word !== "pane"),
  );
  for (const { name, description } of tools) {
    const [first = ""] = description.split(/(?<=[.:;])\s/);
    assert(first.split(/\s+/).length <= MAX_FIRST_SENTENCE_WORDS, `${name}: ${first}`);
    assert(/^[A-Z].*[.]$/s.test(description), name);
    for (const [word] of description.replace(/`[^`]*`/g, "").matchAll(/[a-z]+(-[a-z]+)+/g)) {
      assert(
        !verbs.has(word.split("-")[0]) || word in CONTRACT,
        `${name} speaks of ${word}, which is no tool`,
      );
    }
  }
});

Deno.test("resources name no tool, as they are listed to every client alike", () => {
  const listed = resources.filter(({ page }) => page === undefined);
  for (const { name, title, description } of listed) {
    const named = tools.filter((tool) => `${title} ${description}`.includes(tool.name));
    assertEquals([name, ...named.map((tool) => tool.name)], [name]);
  }
});

/** Settings that take tools away, each in its own way. */
const NARROWED: readonly Partial<PolicySettings>[] = [
  { scope: "agentic" },
  { scope: "primitives" },
  { scope: "agentic", safety: "readonly" },
  { scope: "all", safety: "readonly" },
  { scope: "all", allowCapture: false, allowSendKeys: false },
  {
    scope: "all",
    tools: { mode: "allow", items: ["list-panes", "kill-pane", "wait-for-text", "split-pane"] },
  },
];

Deno.test("descriptions of tools and parameters name only tools that the client sees", () => {
  for (const settings of NARROWED) {
    const policy = policyWith(settings);
    const narrowed = new Registry(tools, {
      hosts: [],
      removedBy: (tool) => findRemoval(tool, policy.settings),
    });
    for (const { wire } of narrowed.visible()) {
      const texts = parts(wire as unknown as PropertySchema).flatMap(({ description }) => description ?? []);
      assert(/^[A-Z].*[.]$/s.test(wire.description), `${wire.name}: ${wire.description}`);
      for (const [name] of texts.join(" ").matchAll(/[a-z]+(-[a-z]+)+/g)) {
        assert(
          narrowed.removedBy(name) === undefined,
          `${wire.name} speaks of ${name}, which is not visible`,
        );
      }
      for (const [parameter, schema] of Object.entries(wire.inputSchema.properties)) {
        assert(schema.description !== "", `${wire.name}.${parameter}`);
      }
    }
  }
});

Deno.test("input schemas are one flat object whose every parameter is described in its declaration", () => {
  for (const { wire: { name, inputSchema }, input } of registry.visible()) {
    assert(!["anyOf", "oneOf", "allOf"].some((key) => key in inputSchema), name);
    const declared = parameterSchema(input).properties;
    assertEquals(Object.keys(inputSchema.properties), Object.keys(declared));
    assert("socket" in inputSchema.properties, `${name} takes no socket`);
    for (const [parameter, schema] of Object.entries(inputSchema.properties)) {
      assert(/^[a-z][a-zA-Z]*$/.test(parameter), `${name}.${parameter}`);
      const words = declared[parameter]?.description ?? "";
      assert(words !== "", `${name}.${parameter} is not described`);
      assert(schema.description === undefined || schema.description === words, `${name}.${parameter}`);
    }
  }
});

/** Every schema in a schema, itself first. */
function* schemasIn(schema: unknown): Generator<Record<string, unknown>> {
  if (typeof schema !== "object" || schema === null) return;
  yield schema as Record<string, unknown>;
  for (const part of Object.values(schema)) yield* schemasIn(part);
}

Deno.test("no schema lists types or names a format, which some clients refuse or drop", () => {
  for (const { name, inputSchema, outputSchema } of wires) {
    for (const { type, format } of [...schemasIn(inputSchema), ...schemasIn(outputSchema)]) {
      assert(!Array.isArray(type) && typeof format !== "string", name);
    }
  }
});

Deno.test("structured tools have a strict output schema with camelCase keys; text tools have none", () => {
  for (const { name, outputSchema } of wires) {
    assertEquals([name, outputSchema === undefined], [name, TEXT.includes(name)]);
    if (outputSchema === undefined) continue;
    assert(isStrict(outputSchema), name);
    for (const key of Object.keys(outputSchema.properties)) {
      assert(/^[a-z][a-zA-Z]*$/.test(key), `${name}.${key}`);
    }
  }
});

Deno.test("what allow_capture takes out of a result, its schema can do without", () => {
  const policy = policyWith({ scope: "all", allowCapture: false });
  for (const { name, outputSchema } of wires) {
    if (findRemoval(registry.find(name)!.tool, policy.settings) !== undefined) continue;
    for (const key of ["output", "lines", "matchedLines"]) {
      assert(!outputSchema?.required?.includes(key), `${name} requires ${key}`);
    }
  }
});

Deno.test("what types, runs or kills says at what, and what it types", () => {
  for (const { name, effect, targets, shellText } of tools) {
    assert(typeof targets === "function", name);
    if (effect === "input") assert(shellText !== undefined, `${name} does not say what it types`);
  }
});

Deno.test("clients that defer tools load the three that are always needed", () => {
  const always = wires.filter(({ _meta }) => _meta?.["anthropic/alwaysLoad"] === true).map(({ name }) =>
    name
  );
  assertEquals(always.filter((name) => !ALWAYS_LOADED.includes(name)), []);
  for (const name of ALWAYS_LOADED) {
    assert(always.includes(name) || registry.find(name) === undefined, `${name} is not always loaded`);
  }
});

Deno.test("clients may pass on a long answer of every tool whose answer can be long", () => {
  const long = tools.filter(({ readsOn }) => readsOn !== undefined).map(({ name }) => name);
  assert(long.length > 20);
  const passed = wires.filter(({ _meta }) => "anthropic/maxResultSizeChars" in (_meta ?? {}));
  const names = new Set(passed.map(({ name }) => name));
  assertEquals(long.filter((name) => !names.has(name)), []);
});

Deno.test("input schemas tell a model every default but false, 0 and nothing", () => {
  for (const { wire: { name, inputSchema }, input } of registry.visible()) {
    for (const [parameter, schema] of Object.entries(input.shape)) {
      const { data: value, success } = (schema as z.ZodType).safeParse(undefined);
      if (!success || !value || Object.keys(value).length === 0 && typeof value === "object") continue;
      assertEquals([name, parameter, inputSchema.properties[parameter]!.default], [name, parameter, value]);
    }
  }
});

Deno.test("the description of a tool with a timeout sends longer waits to background", () => {
  const timed = wires.filter(({ inputSchema }) => "timeout" in (inputSchema.properties ?? {}));
  assertEquals(
    timed.filter(({ description }) => !/\bbackground\b/.test(description)).map(({ name }) => name),
    [],
  );
});

Deno.test("calls of a tool with a timeout can become tasks", () => {
  const timed = tools.filter(({ input }) => "timeout" in input.shape);
  assert(timed.length >= 9);
  assertEquals(timed.filter(({ waits }) => !waits).map(({ name }) => name), []);
});

function size(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** The part of a tool that a model reads. */
function readOf({ name, description, inputSchema }: (typeof wires)[number]): unknown {
  return { name, description, inputSchema };
}

Deno.test("a model reads little of each tool in the default scope", () => {
  const policy = policyWith({ scope: "agentic" });
  const shown = new Registry(tools, { hosts: [], removedBy: (tool) => findRemoval(tool, policy.settings) })
    .visible();
  const sizes = shown.map(({ wire }) => ({ name: wire.name, bytes: size(readOf(wire)) }));
  assertEquals(sizes.filter(({ bytes }) => bytes > MAX_TOOL_BYTES), []);
  const all = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  assert(all <= MAX_DEFAULT_BYTES, `the default tools take ${all} bytes`);
});

Deno.test("the list of all tools stays small", () => {
  const whole = size({ tools: wires });
  const asked = size(wires.map(readOf));
  assert(whole <= MAX_LIST_BYTES, `tools/list is ${whole} bytes`);
  assert(asked <= MAX_INPUT_BYTES, `names, descriptions and input schemas are ${asked} bytes`);
});

Deno.test("error codes are the closed list", () => {
  const codes = "not-found invalid-argument denied busy timeout gone incomplete-command tmux-unavailable " +
    "tmux-error unsupported internal";
  assertEquals(ERROR_CODES, codes.split(" ") as unknown as typeof ERROR_CODES);
});
