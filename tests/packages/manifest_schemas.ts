// Schemas of manifests: the rules of the published ones, for the fields that are used here.
import * as z from "zod";

const text = z.string().min(1);
const version = z.string().regex(/^\d+\.\d+\.\d+$/);
const author = z.strictObject({ name: text });
const slug = z.string().regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/);
const server = z.strictObject({ command: text, args: z.array(z.string()) });
const mcpServers = z.record(slug, server);
const about = {
  name: slug,
  version,
  description: text,
  author,
  homepage: z.url(),
  repository: z.url(),
  license: text,
  keywords: z.array(text),
};

/** A plugin of Claude Code: `.claude-plugin/plugin.json`. */
export const claudePlugin = z.strictObject({ ...about, mcpServers });

/** A marketplace of Claude Code; a source begins with `./`. */
export const claudeMarketplace = z.strictObject({
  name: slug,
  owner: author,
  metadata: z.strictObject({ description: text }),
  plugins: z.array(
    z.strictObject({ name: slug, source: z.string().startsWith("./"), description: text }),
  ).min(1),
});

/** A plugin of Cursor: cursor.com/schemas/cursor-plugin/plugin.json. */
export const cursorPlugin = z.strictObject({
  ...about,
  displayName: text,
  skills: z.string().startsWith("./"),
  mcpServers,
});

/** An extension of Gemini CLI. */
export const geminiExtension = z.strictObject({ name: slug, version, description: text, mcpServers });

/** An entry of the MCP registry, schema of 2025-12-11. */
export const registryEntry = z.strictObject({
  $schema: z.literal("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"),
  name: z.string().min(3).max(200).regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: version.max(255),
  repository: z.strictObject({ url: z.url(), source: z.literal("github") }),
  packages: z.array(z.strictObject({
    registryType: z.literal("npm"),
    registryBaseUrl: z.url().optional(),
    identifier: text,
    version,
    runtimeHint: z.literal("npx"),
    transport: z.strictObject({ type: z.literal("stdio") }),
  })).min(1),
});

/** The manifest of an MCP bundle, version 0.3. */
export const bundleManifest = z.strictObject({
  ...about,
  manifest_version: z.literal("0.3"),
  display_name: text,
  repository: z.strictObject({ type: z.literal("git"), url: z.url() }),
  support: z.url(),
  server: z.strictObject({
    type: z.enum(["node", "python", "binary"]),
    entry_point: text,
    mcp_config: server.extend({ env: z.record(z.string(), z.string()) }),
  }),
  tools_generated: z.boolean(),
  prompts_generated: z.boolean(),
  compatibility: z.strictObject({ platforms: z.array(z.enum(["darwin", "win32", "linux"])) }),
});
