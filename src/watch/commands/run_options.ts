// Options of one command's run.
import type { InputKind } from "../../process/classify.ts";
import type { Dialect } from "../../shell/dialect.ts";
import type { Tmux } from "../../tmux/tmux.ts";
import type { FollowSpec, MarkRef } from "../protocol.ts";
import type { Supervisor } from "../supervisor.ts";
import type { WatchPart } from "../watch.ts";
import type { FollowHandlers } from "../follow.ts";
import type { SeenShell } from "./interruption.ts";
import type { TypingTarget } from "./prompt.ts";
import type { CommandRecord } from "./record.ts";

export interface CommandText {
  command: string;
  subshell: boolean;
  keepHistory: boolean;
}

/** A watch that looks at the command while it runs. */
export interface WatchOver {
  watchId: string;
  part: WatchPart;
  handlers: FollowHandlers;
}

export interface CommandRunOptions {
  tmux: Tmux;
  record: CommandRecord;
  text: CommandText;
  /** Where the pane's cursor was when it was found, from 0. */
  cursorRow: number;
  /** When the call that asked for it ends at the latest (`performance.now()`). */
  until: number;
  dialect: Dialect;
  /** The shell has a line editor. */
  edits: boolean;
  /** Its terminal's input mode; unknown for a remote one. */
  inputKind?: InputKind;
  /** The shell has taken what was typed. */
  took?(): void;
  supervisor: Supervisor;
  /** A follow of the command's pane with these marks. */
  spec(marks: MarkRef, part: WatchPart): FollowSpec;
  /** None where the shell is out of sight. */
  seen?: SeenShell;
  over?: WatchOver;
  /** The command in whose shell it is run. */
  outer?: CommandRecord | undefined;
}

/** Known facts about the shell that gets the typing. */
export function typing(
  { dialect, edits, inputKind, seen }: Pick<CommandRunOptions, "dialect" | "edits" | "inputKind" | "seen">,
): TypingTarget {
  const shell = seen && {
    waits: async () => (await seen.inspect()).waitingForInput,
    sleeps: async () => await seen.sleeps(),
  };
  return { dialect, edits, ...(inputKind && { inputKind }), ...(shell && { shell }) };
}
