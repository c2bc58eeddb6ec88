// Resources about the commands this server ran.
import type { Resource } from "./resource.ts";

/** Output limits of execute-command where a call sets none. */
const LIMIT = { maxLines: 2000, maxBytes: 65_536 };

export const commandResult: Resource = {
  name: "resource-command-result",
  title: "Command result",
  description: "How a command of execute-command or start-and-watch stands, and its output",
  uri: "tmux://command/{commandId}/result",
  mimeType: "application/json",
  groups: ["execute"],
  changes: "command",
  targets: () => [],
  read: async ({ commandId }, { commands }) => (await commands.read(commandId!)).result(LIMIT),
  list: (_panes, commandIds) =>
    commandIds.map((commandId) => ({ args: { commandId }, title: `Result of command ${commandId}`, id: "" })),
};
