// Introduces the server to a client: its name, what it can do, and instructions.
import { MODERN_VERSIONS } from "./envelope.ts";
import type { Implementation, ServerCapabilities } from "./sdk.ts";

export interface Introduction {
  serverInfo: Implementation;
  capabilities: ServerCapabilities;
  instructions: string;
}

export function introduce(
  { version, instructions, channel }: {
    version: string;
    instructions: string;
    /** Announces `experimental["claude/channel"]`. */
    channel: boolean;
  },
): Introduction {
  const capabilities: ServerCapabilities = {
    tools: {},
    resources: { subscribe: true, listChanged: true },
    prompts: {},
    completions: {},
    logging: {},
    ...(channel ? { experimental: { "claude/channel": {} } } : {}),
  };
  return { serverInfo: { name: "tmux-mcp", title: "tmux", version }, capabilities, instructions };
}

export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";
const SKILLS_EXTENSION = "io.modelcontextprotocol/skills";

/** Cache hints for results that never change in this server; private, because they depend on its configuration. */
export const UNCHANGING = { ttlMs: 300_000, cacheScope: "private" } as const;

/** Capabilities of a server for clients of 2026-07-28. */
export function modernCapabilities(
  { capabilities: { logging: _, ...others } }: Introduction,
  { takesTasks }: { takesTasks: boolean },
): ServerCapabilities {
  return { ...others, extensions: { [SKILLS_EXTENSION]: {}, ...(takesTasks && { [TASKS_EXTENSION]: {} }) } };
}

/** The result of `server/discover`, in the SDK's form. */
export function discovery(introduction: Introduction, how: { takesTasks: boolean }): Record<string, unknown> {
  return {
    supportedVersions: MODERN_VERSIONS,
    capabilities: modernCapabilities(introduction, how),
    instructions: introduction.instructions,
    resultType: "complete",
    ...UNCHANGING,
    _meta: { "io.modelcontextprotocol/serverInfo": introduction.serverInfo },
  };
}
