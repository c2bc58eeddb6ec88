// The manifests against the schemas that their registries publish: the MCP registry's by its address in server.json, the
// bundle's from the npm package of its own packer. Without a network, $TMUX_MCP_SERVER_SCHEMA names a copy of the first.
import { assert, assertEquals } from "@std/assert";
import { createRequire } from "node:module";
import { join } from "@std/path";
import { readIdentity, ROOT } from "../../scripts/packages/identity.ts";
import { bundleManifest } from "../../scripts/packages/manifests.ts";

interface Validator {
  (value: unknown): boolean;
  errors?: unknown;
}

const folder = await Deno.makeTempDir({ prefix: "tmux-mcp-schemas-" });
const { success, stderr } = await new Deno.Command("npm", {
  args: [
    "install",
    "--prefix",
    folder,
    "--no-audit",
    "--no-fund",
    "ajv",
    "ajv-formats",
    "@anthropic-ai/mcpb",
  ],
}).output();
assert(success, new TextDecoder().decode(stderr));
globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

const load = createRequire(join(folder, "package.json"));
const { default: Ajv } = load("ajv");
const { default: addFormats } = load("ajv-formats");

function compile(schema: unknown): Validator {
  // The published schemas have keywords of OpenAPI, such as `example`.
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  return ajv.compile(schema);
}

function check(validate: Validator, value: unknown): void {
  assertEquals(validate(value) ? [] : validate.errors, []);
}

async function readServerSchema(address: string): Promise<unknown> {
  const copy = Deno.env.get("TMUX_MCP_SERVER_SCHEMA");
  if (copy !== undefined) return JSON.parse(await Deno.readTextFile(copy));
  const response = await fetch(address);
  assert(response.ok, `${address}: ${response.status}`);
  return await response.json();
}

Deno.test("server.json fits the schema that it names", async () => {
  const entry = JSON.parse(await Deno.readTextFile(join(ROOT, "packages/server.json")));
  const schema = await readServerSchema(entry.$schema) as { $id: string };
  assertEquals(schema.$id, entry.$schema);
  const validate = compile(schema);
  check(validate, entry);
  for (
    const wrong of [
      { ...entry, name: "tmux-mcp" },
      { ...entry, description: "x".repeat(101) },
      { ...entry, packages: [{ ...entry.packages[0], version: "latest" }] },
    ]
  ) assert(!validate(wrong), JSON.stringify(wrong));
});

Deno.test("a bundle's manifest fits the schema of its version, on both platforms", async () => {
  for (const platform of ["linux", "darwin"] as const) {
    const manifest = bundleManifest(await readIdentity(), platform) as { manifest_version: string };
    const file = `@anthropic-ai/mcpb/schemas/mcpb-manifest-v${manifest.manifest_version}.schema.json`;
    const validate = compile(JSON.parse(await Deno.readTextFile(join(folder, "node_modules", file))));
    check(validate, manifest);
    assert(!validate({ ...manifest, server: { type: "binary" } }));
  }
});
