// Introduces the server to a client: its name, what it can do, and instructions.
import type { Implementation, ServerCapabilities } from "./sdk.ts";

export interface Introduction {
  serverInfo: Implementation;
  capabilities: ServerCapabilities;
  instructions: string;
}

/** Name, capabilities and instructions of the server. */
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
