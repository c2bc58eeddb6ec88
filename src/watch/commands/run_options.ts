// Options of one command's run.
import type { Tmux } from "../../tmux/tmux.ts";
import type { FollowSpec, MarkRef } from "../protocol.ts";
import type { Supervisor } from "../supervisor.ts";
import type { FoundPane } from "../pane_refs.ts";
import type { WatchPart } from "../watch.ts";
import type { FollowHandlers } from "../follow.ts";
import type { Send } from "./prompt/pane_keys.ts";
import type { PaneLock } from "./prompt/pane_lock.ts";
import type { CommandRecord } from "./record.ts";

export interface CommandText {
  command: string;
  /** Run it in `( … )`. */
  subshell?: boolean;
  /** Enter it into the shell's history. */
  keepHistory?: boolean;
}

/** The watch of a command from its first byte on. */
export interface CommandWatch {
  watchId: string;
  part: WatchPart;
  handlers: FollowHandlers;
}

export interface CommandRunOptions {
  tmux: Tmux;
  record: CommandRecord;
  text: CommandText;
  pane: Pick<FoundPane, "dead" | "cursorRow">;
  /** Deadline of the call that asked for it (`performance.now()`). */
  until: number;
  supervisor: Supervisor;
  /** A follow of the command's pane with these marks. */
  spec(marks: MarkRef, part: WatchPart): FollowSpec;
  watch?: CommandWatch;
  /** Takes the lock of its pane; `send` reaches tmux through a client that is attached. */
  lock(send: Send | undefined): Promise<PaneLock>;
  /** The command in whose shell it is run. */
  outer?: CommandRecord | undefined;
}
