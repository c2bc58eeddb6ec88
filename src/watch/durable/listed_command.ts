// A command as list-commands shows it, read from memory or from disk.
import type { CommandRecord } from "../commands/record.ts";
import type { CommandStatus } from "../commands/command_result.ts";
import { SERVER_GONE } from "./lost_reasons.ts";
import { COMMAND_CHARS, type StoredCommand } from "./stored_command.ts";

export interface ListedCommand {
  commandId: string;
  paneId: string;
  /** First characters of its text. */
  command: string;
  status: CommandStatus;
  exitCode?: number;
  /** Reason why the command is lost. */
  reason?: string;
  /** Set if another tmux server ran it; its pane id may now belong to another pane. */
  isGone?: true;
  /** Epoch milliseconds. */
  startedMs: number;
  /** Seconds. */
  elapsed: number;
}

/** Describes a command of this process. `serverKey`: key of the current tmux server. */
export function describeOwn(record: CommandRecord, serverKey: string | undefined): ListedCommand {
  const listed = describeRecord(record);
  const isThere = serverKey !== undefined && record.commandId.endsWith(`-${serverKey}`);
  return isThere ? listed : describeGone(listed, SERVER_GONE);
}

function describeRecord(record: CommandRecord): ListedCommand {
  const { commandId, paneId, command, status, exitCode, reason, started, elapsed } = record;
  return {
    commandId,
    paneId,
    command: command.slice(0, COMMAND_CHARS),
    status,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(reason === undefined ? {} : { reason }),
    startedMs: started,
    elapsed,
  };
}

export function describeStored(stored: StoredCommand): ListedCommand {
  const { id, paneId, command, status, exitCode, reason, started, ended = Date.now() } = stored;
  return {
    commandId: id,
    paneId,
    command,
    status,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(reason === undefined ? {} : { reason }),
    startedMs: started,
    // The clock may have been set back since.
    elapsed: Math.max(ended - started, 0) / 1000,
  };
}

/** Describes a command whose tmux server has ended: if it was running, it is lost. */
export function describeGone(listed: ListedCommand, reason: string): ListedCommand {
  const isRunning = listed.status === "running" || listed.status === "waiting";
  return { ...listed, ...(isRunning && { status: "lost", reason }), isGone: true };
}
