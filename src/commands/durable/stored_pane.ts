// The pane of a command that another server process ran, as far as tmux and the kernel tell.
import { unlessGone } from "../../errors.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import { findPanes, type FoundPane } from "../../watch/pane_refs.ts";
import { serverKeyOf, type StoredCommand } from "./stored_command.ts";

/**
 * Returns undefined for a pane that is closed; `out of reach` while the tmux server and the pane's process live, and that
 * server has no socket any more.
 * @throws {AppError} if tmux does not answer
 */
export async function findStoredPane(
  tmux: Tmux,
  { id, paneId, panePid }: StoredCommand,
): Promise<FoundPane | "server gone" | "out of reach" | undefined> {
  const key = serverKeyOf(id);
  if (await tmux.servers.key() === key) return (await unlessGone(findPanes(tmux, [paneId])))?.[0];
  if (!await tmux.servers.lives(key)) return "server gone";
  return await tmux.machine.inspector.startTime(panePid) === undefined ? undefined : "out of reach";
}
