// The generated schemas equal those that the declarations produce.
import { assert, assertEquals } from "@std/assert";
import type { PolicySettings } from "../../src/policy/types.ts";
import { findRemoval } from "../../src/policy/visibility.ts";
import { Registry, type RegistryOptions } from "../../src/server/registry.ts";
import type { ToolSchemas } from "../../src/server/wire.ts";
import { tools } from "../../src/tools/all.ts";
import schemas from "../../src/tools/schemas.json" with { type: "json" };
import { policyWith } from "../policy/fixture.ts";

const SCHEMAS = schemas as unknown as Readonly<Record<string, ToolSchemas>>;

const CLIENTS: Record<string, { settings?: Partial<PolicySettings>; options?: Partial<RegistryOptions> }> = {
  "every tool": { settings: { scope: "all" } },
  "the default scope": {},
  "primitives": { settings: { scope: "primitives" } },
  "read-only": { settings: { scope: "all", safety: "readonly" }, options: { readOnly: true } },
  "few tools": { settings: { scope: "all", tools: { mode: "allow", items: ["@read", "execute-command"] } } },
  "no watches": { settings: { scope: "all", tools: { mode: "deny", items: ["@watch", "@list", "@wait"] } } },
  "a client that waits for long": { options: { defaults: () => ({ timeout: 110, maxBytes: Infinity }) } },
  "a client that waits for little": { options: { defaults: () => ({ timeout: 5, maxBytes: Infinity }) } },
  "a client that takes little": { options: { defaults: () => ({ timeout: 50, maxBytes: 12_288 }) } },
  "hosts": { options: { hosts: ["far", "near"] } },
};

Deno.test("no call waits longer by default than the client does", () => {
  const defaults = () => ({ timeout: 5, maxBytes: Infinity });
  const visible = new Registry(tools, { hosts: [], removedBy: () => undefined, defaults }).visible();
  const timeouts = visible.flatMap(({ wire }) => {
    const { default: timeout } = (wire.inputSchema.properties?.["timeout"] ?? {}) as { default?: number };
    return timeout === undefined ? [] : [timeout];
  });
  assert(timeouts.length > 5, timeouts.join());
  assertEquals(new Set(timeouts), new Set([5]));
});

for (const [what, { settings = {}, options = {} }] of Object.entries(CLIENTS)) {
  Deno.test(`the list of tools is the same with schemas made beforehand: ${what}`, () => {
    const policy = policyWith(settings);
    const list = (more: Partial<RegistryOptions>): string[] =>
      new Registry(tools, {
        hosts: [],
        removedBy: (tool) => findRemoval(tool, policy.settings),
        ...options,
        ...more,
      })
        .visible().map(({ wire }) => JSON.stringify(wire));
    assertEquals(list({ schemas: SCHEMAS }), list({}));
  });
}
