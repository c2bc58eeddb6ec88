// A command as list-commands shows it, from memory or from disk.
import type { CommandRecord } from "../commands/record.ts";
import type { CommandStatus } from "../commands/command_result.ts";
import { COMMAND_CHARS, type StoredCommand } from "./stored_command.ts";

export interface ListedCommand {
  commandId: string;
  paneId: string;
  /** Its first characters. */
  command: string;
  status: CommandStatus;
  exitCode?: number;
  /** Epoch milliseconds. */
  startedMs: number;
  /** Seconds. */
  elapsed: number;
}

export function describeRecord(record: CommandRecord): ListedCommand {
  const { commandId, paneId, command, status, exitCode, started, elapsed } = record;
  return {
    commandId,
    paneId,
    command: command.slice(0, COMMAND_CHARS),
    status,
    ...(exitCode === undefined ? {} : { exitCode }),
    startedMs: started,
    elapsed,
  };
}

export function describeStored(stored: StoredCommand): ListedCommand {
  const { id, paneId, command, status, exitCode, started, ended = Date.now() } = stored;
  return {
    commandId: id,
    paneId,
    command,
    status,
    ...(exitCode === undefined ? {} : { exitCode }),
    startedMs: started,
    elapsed: (ended - started) / 1000,
  };
}
