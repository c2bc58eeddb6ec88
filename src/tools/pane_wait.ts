// Waits for a pane on behalf of tools, with a watch that only the caller sees.
import { isGone } from "../errors.ts";
import type { ToolContext } from "../tool.ts";
import type { WatchResult } from "../watch/inbox.ts";
import type { Trigger } from "../watch/protocol.ts";
import { delay } from "../timer.ts";
import { progressOf } from "./watch.ts";

export interface PaneWait {
  triggers: Trigger[];
  /** Seconds. */
  timeout: number;
  context: ToolContext;
  /** Time (ms) for which the client stays attached, because the session is likely to be watched again. */
  lingerMs?: number;
  /** Checks the pane again, at a slow pace; returning true ends the wait without a result. */
  recheck?(): Promise<boolean>;
}

/**
 * Time (ms) between two checks. Not every change is output: a program can redraw part of a line, a person can clear the
 * pane or scroll it.
 */
const RECHECK_MS = 1000;

/**
 * Watches a pane until a trigger fires. `isMet` is called once the watch can't miss anything; if it returns
 * true, the wait ends without a result. A pane that dies is the event `gone`.
 */
export async function untilTrigger(
  paneId: string,
  { triggers, timeout, context, lingerMs, recheck }: PaneWait,
  isMet: () => Promise<boolean>,
): Promise<WatchResult | undefined> {
  const { tmux, watches, signal } = context;
  const source = await watches.paneSource(tmux, [paneId]);
  const request = {
    tmux,
    triggers,
    timeout,
    ...progressOf(context, timeout),
    ...(lingerMs === undefined ? {} : { lingerMs }),
  };
  const whenFollowing = async (over: AbortSignal): Promise<boolean> =>
    await isMet().catch(falseIfGone) || (recheck !== undefined && await recheckUntil(recheck, over));
  return await watches.wait(source, request, { signal, whenFollowing });
}

/** Checks again and again until `recheck` returns true; returns false once the watch is over. */
async function recheckUntil(recheck: () => Promise<boolean>, over: AbortSignal): Promise<boolean> {
  for (;;) {
    await delay(RECHECK_MS, over);
    if (over.aborted) return false;
    // The watch itself reports a pane that is gone.
    if (await recheck().catch(() => false)) return true;
  }
}

/** Returns false for the error of a pane that is gone, which the watch itself reports; throws any other error. */
function falseIfGone(error: unknown): boolean {
  if (isGone(error)) return false;
  throw error;
}
