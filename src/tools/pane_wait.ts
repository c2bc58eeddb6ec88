// Waits for a pane on behalf of tools, with a watch that only the caller sees.
import { isGone } from "../errors.ts";
import type { ToolContext } from "../tool.ts";
import type { WatchResult } from "../watch/inbox.ts";
import type { Trigger } from "../watch/protocol.ts";
import { progressOf } from "./watch.ts";

export interface PaneWait {
  triggers: Trigger[];
  /** Seconds. */
  timeout: number;
  context: ToolContext;
  /** Time (ms) for which the client stays attached, because the session is likely to be watched again. */
  lingerMs?: number;
}

/**
 * Watches a pane until a trigger fires. `isMet` is called once the watch can't miss anything; if it returns
 * true, the wait ends without a result. A pane that dies is the event `gone`.
 */
export async function untilTrigger(
  paneId: string,
  { triggers, timeout, context, lingerMs }: PaneWait,
  isMet: () => Promise<boolean>,
): Promise<WatchResult | undefined> {
  const { tmux, watch, signal } = context;
  const source = await watch.paneSource(tmux, [paneId]);
  const request = {
    tmux,
    triggers,
    timeout,
    ...progressOf(context, timeout),
    ...(lingerMs === undefined ? {} : { lingerMs }),
  };
  return await watch.wait(source, request, { signal, whenFollowing: () => isMet().catch(untilGone) });
}

/** Error for a pane that went away while the watch was about to report. */
function untilGone(error: unknown): boolean {
  if (isGone(error)) return false;
  throw error;
}
