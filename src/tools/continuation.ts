// Builds the calls with which a later server process continues a task.
import type { ToolContext } from "../tool.ts";
import type { Continuation } from "../durable/task_call.ts";
import type { WatchRequest } from "../watch/watches.ts";

/** Marks a wait that any server process can repeat with the same arguments, for the remaining time. */
export function continuesAsItself(
  { task, tmux }: ToolContext,
  { args, until: argument, ...call }: Pick<Continuation, "tool" | "paneIds" | "isSelfKnown"> & {
    args: Readonly<Record<string, unknown>>;
    /** Name of the argument with the seconds to wait. */
    until: string;
  },
): void {
  if (!task) return;
  const until = { at: Date.now() + Number(args[argument]) * 1000, argument };
  const server = tmux.outlivingCall();
  task.continueWith(async () => {
    const serverKey = await server.servers.key();
    return { ...call, arguments: args, until, socket: server.socketPath, serverKey };
  });
}

/** Marks a watch that is kept on disk; a later call of `watch-pane` passes on its result. */
export function keepsWatch(
  { task, tmux }: ToolContext,
  { verbose, sessionId }: { verbose?: boolean | undefined; sessionId?: string | undefined },
): Pick<WatchRequest, "begins"> {
  if (!task) return {};
  return {
    begins: (keep) =>
      task.continueWith(async () => {
        const kept = await keep();
        if (!kept) return undefined;
        const { watchId, commandId } = kept;
        const paneIds = [...kept.paneIds];
        return {
          tool: "watch-pane",
          arguments: { paneIds, ...(verbose !== undefined && { verbose }) },
          watched: {
            watchId,
            beside: {
              ...(commandId !== undefined && { commandId }),
              ...(sessionId !== undefined && { sessionId }),
            },
          },
          socket: tmux.socketPath,
          serverKey: await tmux.servers.key(),
          paneIds,
          isSelfKnown: true,
        };
      }),
  };
}
