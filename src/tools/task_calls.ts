// Calls that a later server process goes on with: each says by which call.
import type { ToolContext } from "../tool.ts";
import type { WatchRequest } from "../watch/watches.ts";

/** A wait that any server process can begin again with the same arguments, for the time that is left. */
export function continuesAsItself(
  { task, tmux }: ToolContext,
  { tool, args, until: argument, paneIds }: {
    tool: string;
    args: Readonly<Record<string, unknown>>;
    /** The argument that says how many seconds it waits. */
    until: string;
    paneIds: string[];
  },
): void {
  const until = { at: Date.now() + Number(args[argument]) * 1000, argument };
  task?.goesOnBy(() => ({ tool, arguments: args, until, socket: tmux.socketPath, paneIds }));
}

/** A watch that is kept on disk: watch-pane hands on its result. */
export function keepsWatch(
  { task, tmux }: ToolContext,
  { verbose, sessionId }: { verbose?: boolean | undefined; sessionId?: string | undefined },
): Pick<WatchRequest, "begins"> {
  if (!task) return {};
  return {
    begins: (keep) =>
      task.goesOnBy(async () => {
        const kept = await keep();
        if (!kept) return undefined;
        const { watchId, commandId } = kept;
        const paneIds = [...kept.paneIds];
        const beside = {
          ...(commandId !== undefined && { commandId }),
          ...(sessionId !== undefined && { sessionId }),
        };
        const given = { paneIds, ...(verbose !== undefined && { verbose }) };
        return {
          tool: "watch-pane",
          arguments: given,
          watched: { watchId, beside },
          socket: tmux.socketPath,
          paneIds,
        };
      }),
  };
}
