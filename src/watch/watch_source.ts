// Source that a watch listens to: existing panes, or a command that is being started.
import type { FollowHandle, FollowHandlers } from "./follow.ts";
import type { FoundPane } from "./pane_refs.ts";
import type { FollowEnd, FollowSpec, Report } from "./protocol.ts";

/** Triggers and limits of a watch; without `lingerMs`, no control client is kept for the next one. */
export type WatchPart =
  & Pick<FollowSpec, "triggers" | "pace" | "handsOver" | "resumed" | "shellPid">
  & Partial<Pick<FollowSpec, "lingerMs">>;

export type WatchedOutput = Pick<Report, "output" | "outputTruncated" | "totalLines" | "totalBytes">;

/** A pane that ended before it could be followed. */
export type EndedPane = Pick<FoundPane, "paneId" | "ending">;

/** Begins the follow that a watch listens to: of existing panes, or of a command that is being started. */
export interface WatchSource {
  panes: FoundPane[];
  /** Ids that the result names, as far as they are known before the watch begins. */
  ids?: SourceRun["ids"];
  /** Returns the first pane that has ended since it was found; undefined if all are there. */
  ended?(): Promise<EndedPane | undefined>;
  /** Output so far, where more is known than the panes have printed since; undefined if it can't be read. */
  output?(): Promise<WatchedOutput | undefined>;
  begin(watchId: string, part: WatchPart, handlers: FollowHandlers): Promise<SourceRun>;
}

/** Returns the source with a hook: `begun` runs once the source is followed, hence once its command has begun. */
export function whenBegun(source: WatchSource, begun: (ids: SourceRun["ids"]) => Promise<void>): WatchSource {
  return {
    ...source,
    begin: async (...args) => {
      const run = await source.begin(...args);
      await begun(run.ids);
      return run;
    },
  };
}

export interface SourceRun {
  handle: FollowHandle;
  /** Ends the watch's part; a command's own record continues. Settles when its panes are as they were before. */
  end(end: FollowEnd): void | Promise<void>;
  /** Ids that the result names in addition to its pane. */
  ids: { sessionId?: string; commandId?: string };
}
