// Spools that the pipes of panes copy to: a pane has one pipe, so whoever else reads the pane reads there.
import type { RecordStore } from "../../records/record_store.ts";
import type { SpoolCopier } from "../../tmux/spool_pipe.ts";
import { pidOfKey } from "../../tmux/server_key.ts";
import type { PaneRef, SpoolRef } from "../../watch/protocol.ts";
import { COMMAND_LETTER, PIPE_PIECE, type StoredCommand } from "./stored_command.ts";
import { sizeOf } from "./stored_output.ts";

export type CommandPane = Pick<PaneRef, "paneId" | "panePid" | "serverKey">;

/** Returns the file that a pane's pipe copies to, for a command of any process; undefined if there is none. */
export function findSpool(
  { paneId, panePid, serverKey }: CommandPane,
  store: RecordStore,
  spoolsPiped: (serverPid: number) => SpoolCopier[],
): SpoolRef | undefined {
  const serverPid = pidOfKey(serverKey);
  const copiers = spoolsPiped(serverPid);
  if (copiers.length === 0) return undefined;
  const commands = store.list<StoredCommand>(serverKey, COMMAND_LETTER)
    // The copy of a program that was respawned ends soon.
    .filter((command) =>
      command.paneId === paneId && command.panePid === panePid && command.ended === undefined
    );
  const paths = new Set(commands.map(({ id }) => store.fileBeside(id, String(PIPE_PIECE))));
  const copier = copiers.find(({ path }) => paths.has(path));
  return copier && { pid: copier.pid, path: copier.path, serverPid, from: sizeOf(copier.path) ?? 0 };
}
