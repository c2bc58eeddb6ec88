// A configuration as a command line, an environment and a file give it.
import { assert, assertRejects } from "@std/assert";
import { ConfigError, type ConfigInput, parseConfig, type ResolvedConfig } from "../../src/config.ts";

export const FILE = "/etc/tmux-mcp.toml";

export type Given = Partial<ConfigInput> & { readonly toml?: string };

export function load({ toml, ...given }: Given): Promise<ResolvedConfig> {
  return parseConfig({
    argv: [],
    env: {},
    readFile: (path) => path === FILE ? toml : undefined,
    knownTools: ["kill-pane", "send-keys"],
    knownGroups: ["@kill", "@read"],
    ...given,
  });
}

export async function complaint(given: Given): Promise<string> {
  const error = await assertRejects(() => load(given), ConfigError);
  assert(error instanceof Error && !error.message.includes("\n"), "the message is one line");
  return error.message;
}
