// Options for the run of one command.
import type { ShellCommand } from "../shell/dialect.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { FollowSpec, MarkRef } from "../watch/protocol.ts";
import type { Supervisor } from "../watch/supervisor.ts";
import type { FoundPane } from "../watch/pane_refs.ts";
import type { WatchPart } from "../watch/watch_source.ts";
import type { FollowHandlers } from "../watch/follow.ts";
import type { Send } from "../tmux_exec/exec.ts";
import type { PaneLock } from "./prompt/pane_lock.ts";
import type { TrackedCommand } from "./tracked_command.ts";

export type CommandText = Pick<ShellCommand, "command" | "subshell" | "keepHistory">;

/** Watch of a command from its first byte on. */
export interface CommandWatch {
  watchId: string;
  part: WatchPart;
  handlers: FollowHandlers;
}

export interface CommandRunOptions {
  tmux: Tmux;
  tracked: TrackedCommand;
  text: CommandText;
  pane: Pick<FoundPane, "dead" | "cursorRow">;
  /** Deadline of the call that requested the command (`performance.now()`). */
  until: number;
  supervisor: Supervisor;
  /** Returns the message that follows the command's pane with these marks. */
  spec(marks: MarkRef, part: WatchPart): FollowSpec;
  watch?: CommandWatch;
  /** Takes the lock of the pane; `send` reaches tmux through an attached client. */
  lock(send: Send | undefined): Promise<PaneLock>;
  /** Command in whose shell this one runs. */
  outer?: TrackedCommand | undefined;
}
