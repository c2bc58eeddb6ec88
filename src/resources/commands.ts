// Resources about commands of this server and of earlier ones.
import type { Resource } from "./resource.ts";

/** Default output limits of `execute-command`. */
const LIMIT = { maxLines: 2000, maxBytes: 65_536 };

export const commandResult: Resource = {
  name: "resource-command-result",
  title: "Command result",
  description: "The status and output of a command started through this server",
  uri: "tmux://command/{commandId}/result",
  mimeType: "application/json",
  groups: ["execute"],
  changes: "command",
  targets: () => [],
  async read({ commandId }, { commands, sees, fit, signal }) {
    const record = await commands.read(commandId!, sees);
    const waiting = await record.wait({ seconds: 0, onInput: "return", signal });
    return await fit(LIMIT.maxBytes, (maxBytes) => record.result({ ...LIMIT, maxBytes }, { waiting }));
  },
  list: ({ commandIds }) =>
    commandIds.map((commandId) => ({ args: { commandId }, title: `Result of command ${commandId}`, id: "" })),
};
