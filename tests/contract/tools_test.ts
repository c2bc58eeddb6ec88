// Laws over all tools: what the contract says of each is data here, and no declaration may say otherwise.
import { assert, assertEquals } from "@std/assert";
import { ERROR_CODES } from "../../src/errors.ts";
import { Registry } from "../../src/server/registry.ts";
import { type ObjectSchema, parameterSchema, type PropertySchema } from "../../src/server/wire.ts";
import { type Effect, GROUPS } from "../../src/tool.ts";
import { tools } from "../../src/tools/all.ts";
import type { PolicySettings } from "../../src/policy/types.ts";
import { policyWith } from "../policy/fixture.ts";

/** Layer, effect, and groups beside @all and @read; `agentic` where the default scope shows it. */
type Entry = [layer: 1 | 2, effect: Effect, groups: string, agentic?: "agentic"];

const CONTRACT: Readonly<Record<string, Entry>> = {
  "start-and-watch": [2, "input", "execute", "agentic"],
  "watch-pane": [2, "read", "watch", "agentic"],
  "watch-events": [2, "read", "watch", "agentic"],
  "stop-watch": [2, "read", "watch", "agentic"],
  "pane-state": [2, "read", "watch", "agentic"],
  "ensure-service": [2, "input", "execute", "agentic"],
  "stop-service": [2, "destroy", "kill", "agentic"],
  "list-services": [2, "read", "list", "agentic"],
  "apply-workspace": [2, "input", "create split execute", "agentic"],
  "freeze-workspace": [2, "read", "", "agentic"],
  "run-in-repl": [2, "input", "interactive raw-input", "agentic"],
  "write-to-display": [2, "change", "", "agentic"],
  "display-message": [2, "change", "", "agentic"],

  "list-sessions": [1, "read", "list", "agentic"],
  "find-session": [1, "read", "list"],
  "get-session-info": [1, "read", ""],
  "get-current-session": [1, "read", "list"],
  "create-session": [1, "change", "create", "agentic"],
  "rename-session": [1, "change", "rename"],
  "kill-session": [1, "destroy", "kill", "agentic"],
  "get-server-info": [1, "read", "socket"],
  "list-servers": [1, "read", "list socket"],
  "kill-server": [1, "destroy", "kill"],
  "socket-for-path": [1, "read", "socket"],
  "list-clients": [1, "read", "list"],
  "detach-client": [1, "destroy", "kill"],

  "list-windows": [1, "read", "list"],
  "get-window-info": [1, "read", ""],
  "create-window": [1, "change", "create"],
  "rename-window": [1, "change", "rename"],
  "kill-window": [1, "destroy", "kill"],
  "move-window": [1, "change", "move"],
  "select-window": [1, "change", "move"],
  "select-layout": [1, "change", "move"],
  "resize-window": [1, "change", "move"],
  "set-synchronize-panes": [1, "change", "move"],

  "list-panes": [1, "read", "list", "agentic"],
  "get-pane-info": [1, "read", ""],
  "find-pane-by-position": [1, "read", ""],
  "split-pane": [1, "change", "split", "agentic"],
  "rename-pane": [1, "change", "rename"],
  "kill-pane": [1, "destroy", "kill", "agentic"],
  "select-pane": [1, "change", "move"],
  "resize-pane": [1, "change", "move"],
  "zoom-pane": [1, "change", "move"],
  "join-pane": [1, "change", "move"],
  "break-pane": [1, "change", "move"],
  "swap-pane": [1, "change", "move"],
  "respawn-pane": [1, "destroy", "kill"],
  "clear-pane": [1, "destroy", "kill"],
  "pipe-pane": [1, "input", "options"],
  "enter-copy-mode": [1, "change", "move"],
  "exit-copy-mode": [1, "change", "move", "agentic"],
  "record-pane": [1, "change", "capture"],

  "capture-pane": [1, "read", "capture", "agentic"],
  "capture-since": [1, "read", "capture", "agentic"],
  "snapshot-pane": [1, "read", "capture"],
  "search-panes": [1, "read", "capture", "agentic"],
  "screenshot-pane": [1, "read", "capture", "agentic"],
  "open-live-view": [1, "read", "capture"],
  "expand-format": [1, "read", "options"],

  "ask-person": [2, "change", "wait", "agentic"],
  "execute-command": [1, "input", "execute", "agentic"],
  "get-command-result": [1, "read", "execute", "agentic"],
  "list-commands": [1, "read", "list execute", "agentic"],
  "send-keys": [1, "input", "interactive raw-input", "agentic"],
  "send-hex": [1, "input", "interactive raw-input"],
  "paste-text": [1, "input", "interactive raw-input"],
  ...Object.fromEntries(
    "enter tab escape backspace up down left right page-up page-down home end cancel eof".split(" ").map(
      (key): [string, Entry] => [`send-${key}`, [1, "input", "special-keys raw-input"]],
    ),
  ),

  "wait-for-text": [1, "read", "wait"],
  "wait-for-content-change": [1, "read", "wait"],
  "wait-for-channel": [1, "read", "wait"],
  "signal-channel": [1, "change", "wait"],

  "list-buffers": [1, "read", "list buffer-read"],
  "show-buffer": [1, "read", "buffer-read"],
  "set-buffer": [1, "change", "buffer-write"],
  "append-buffer": [1, "change", "buffer-write"],
  "load-buffer": [1, "change", "buffer-write"],
  "save-buffer": [1, "change", "buffer-write"],
  "rename-buffer": [1, "change", "buffer-write"],
  "delete-buffer": [1, "destroy", "buffer-write"],
  "paste-buffer": [1, "input", "interactive raw-input"],
  "search-buffer": [1, "read", "buffer-read"],
  "subsearch-buffer": [1, "read", "buffer-read"],

  "show-option": [1, "read", "options"],
  "set-option": [1, "change", "options"],
  "show-environment": [1, "read", "options"],
  "set-environment": [1, "change", "options"],
  "show-hooks": [1, "read", "list"],
  "show-hook": [1, "read", ""],

  "call-tools": [2, "read", "", "agentic"],
  "list-prompts": [2, "read", ""],
  "get-prompt": [2, "read", ""],
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

Deno.test("every tool is one of the contract, as the contract has it", () => {
  for (const tool of tools) {
    const entry = CONTRACT[tool.name];
    assert(entry !== undefined, `${tool.name} is not in the contract`);
    const [layer, effect, groups, agentic] = entry;
    const own = tool.groups.filter((group) => group !== "all" && group !== "read");
    assertEquals(
      [tool.name, tool.layer, tool.effect, own.toSorted().join(" "), tool.agentic],
      [tool.name, layer, effect, groups.split(" ").toSorted().join(" "), agentic === "agentic"],
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
    const narrowed = new Registry(tools, { hosts: [], removedBy: (tool) => policy.findRemoval(tool) });
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

Deno.test("no schema lists types, which some clients refuse or drop (Inspector --strict)", () => {
  for (const { name, inputSchema, outputSchema } of wires) {
    for (const { type } of [...schemasIn(inputSchema), ...schemasIn(outputSchema)]) {
      assertEquals(Array.isArray(type), false, name);
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
    if (policy.findRemoval(registry.find(name)!.tool) !== undefined) continue;
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
  const shown = new Registry(tools, { hosts: [], removedBy: (tool) => policy.findRemoval(tool) }).visible();
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
