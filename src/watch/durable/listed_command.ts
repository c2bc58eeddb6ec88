// A command as list-commands shows it, from memory or from disk.
import type { CommandRecord } from "../commands/record.ts";
import type { CommandStatus } from "../commands/command_result.ts";
import { SERVER_GONE } from "./lost_reasons.ts";
import { COMMAND_CHARS, type StoredCommand } from "./stored_command.ts";

export interface ListedCommand {
  commandId: string;
  paneId: string;
  /** Its first characters. */
  command: string;
  status: CommandStatus;
  exitCode?: number;
  /** Why it is lost. */
  reason?: string;
  /** Another tmux server ran it: its pane id may be another pane's now. */
  isGone?: true;
  /** Epoch milliseconds. */
  startedMs: number;
  /** Seconds. */
  elapsed: number;
}

/** A command of this process; `serverKey` is that of the tmux server there is now. */
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
    elapsed: (ended - started) / 1000,
  };
}

/** A command whose tmux server is not there any more: if it ran, it is lost. */
export function describeGone(listed: ListedCommand, reason: string): ListedCommand {
  const isRunning = listed.status === "running" || listed.status === "waiting";
  return { ...listed, ...(isRunning && { status: "lost", reason }), isGone: true };
}
