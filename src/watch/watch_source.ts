// Source that a watch listens to: existing panes, or a command that is being started.
import type { FollowHandle, FollowHandlers } from "./follow.ts";
import type { FoundPane } from "./pane_refs.ts";
import type { FollowEnd, Pace, Trigger } from "./protocol.ts";

/** Triggers and limits of a watch. */
export interface WatchPart {
  triggers: Trigger[];
  pace?: Pace;
  /** Time (ms) to keep the control client for the next watch of the session; absent: it is detached at once. */
  lingerMs?: number;
  /** A person is asked to answer the program when it waits for input. */
  handsOver?: true;
}

/** Begins the follow that a watch listens to: of existing panes, or of a command that is being started. */
export interface WatchSource {
  panes: FoundPane[];
  /** Ids that the result names, as far as they are known before the watch begins. */
  ids?: SourceRun["ids"];
  begin(watchId: string, part: WatchPart, handlers: FollowHandlers): Promise<SourceRun>;
}

/** Returns the source with a hook: `begun` runs once the source is followed, hence once its command has begun. */
export function whenBegun(source: WatchSource, begun: () => Promise<void>): WatchSource {
  return {
    ...source,
    begin: async (...args) => {
      const run = await source.begin(...args);
      await begun();
      return run;
    },
  };
}

export interface SourceRun {
  handle: FollowHandle;
  /**
   * Ends the watch's part; a command's own record continues. Settles when its panes are back in their earlier state.
   */
  end(end: FollowEnd): void | Promise<void>;
  /** Ids that the result names in addition to its pane. */
  ids: { sessionId?: string; commandId?: string };
}
