// Options for a command that another server process ran.
import type { RecordStore } from "../../records/record_store.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import type { OutputStore } from "../output_store.ts";
import type { FoundPane } from "../../watch/pane_refs.ts";
import type { ReleaseLease } from "../../watch/remain_on_exit_leases.ts";
import type { CommandPipeOptions } from "./command_pipe.ts";
import type { StoredCommand } from "./stored_command.ts";

export interface RecoveredCommandOptions extends Pick<CommandPipeOptions, "spoolsPiped" | "endPipe"> {
  store: RecordStore;
  stored: StoredCommand;
  storage: OutputStore;
  tmux: Tmux;
  /** True if this process may change panes: have their output copied, and keep them when their process ends. */
  changesPanes: boolean;
  /** Takes over a tmux server's records from a dead process; another tmux server may have the socket now. */
  abandoned(tmux: Tmux, serverKey: string): Promise<void>;
  /** Keeps a pane when its process ends, so that its exit code can be read; undefined if it can't be kept. */
  lease(tmux: Tmux, pane: FoundPane): Promise<ReleaseLease | undefined>;
  /** Cleans up what dead processes have left on a tmux server, such as panes whose ends have been read by now. */
  sweep(tmux: Tmux): void;
}
