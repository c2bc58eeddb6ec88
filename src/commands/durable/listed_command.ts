// A command as list-commands shows it, read from memory or from disk.
import { beginningOf } from "../../excerpt.ts";
import type { TrackedCommand } from "../tracked_command.ts";
import type { CommandResult } from "../command_result.ts";
import { SERVER_GONE } from "./lost_reasons.ts";
import { COMMAND_CHARS, serverKeyOf, type StoredCommand } from "./stored_command.ts";
import type { Tmux } from "../../tmux/tmux.ts";

export interface ListedCommand
  extends Pick<CommandResult, "commandId" | "paneId" | "status" | "exitCode" | "reason" | "elapsed"> {
  /** First characters of its text. */
  command: string;
  /** Set if another tmux server ran it; its pane id may now belong to another pane. */
  isGone?: true;
  /** Epoch milliseconds. */
  startedMs: number;
}

/** Describes a command of this process. `serverKey`: key of the current tmux server. */
export async function describeOwn(
  tracked: TrackedCommand,
  serverKey: string | undefined,
): Promise<ListedCommand> {
  const listed = describe(tracked);
  const isThere = serverKey !== undefined && tracked.commandId.endsWith(`-${serverKey}`);
  return isThere ? listed : await describeGone(listed, SERVER_GONE, tracked.tmux);
}

export function describeStored({ id, ended = Date.now(), ...stored }: StoredCommand): ListedCommand {
  // The clock may have been set back since.
  const elapsed = Math.max(ended - stored.started, 0) / 1000;
  return describe({ ...stored, commandId: id, elapsed });
}

type Described =
  & Pick<TrackedCommand, "commandId" | "paneId" | "command" | "status" | "started" | "elapsed">
  & Partial<Pick<TrackedCommand, "exitCode" | "reason">>;

function describe(described: Described): ListedCommand {
  const { commandId, paneId, command, status, exitCode, reason, started, elapsed } = described;
  return {
    commandId,
    paneId,
    command: beginningOf(command, COMMAND_CHARS),
    status,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(reason === undefined ? {} : { reason }),
    startedMs: started,
    elapsed,
  };
}

/**
 * Describes a command whose tmux server is not the current one: if it was running, it is lost, unless that server lives on
 * without a socket.
 */
export async function describeGone(
  listed: ListedCommand,
  reason: string,
  { servers }: Tmux,
): Promise<ListedCommand> {
  const isRunning = listed.status === "running" || listed.status === "waiting";
  const isLost = isRunning && !await servers.lives(serverKeyOf(listed.commandId));
  return { ...listed, ...(isLost && { status: "lost", reason }), isGone: true };
}
