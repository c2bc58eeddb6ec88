// Watches existing panes: each is followed, and held until its final output has been read.
import { unlessGone } from "../errors.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { ErrorPatterns } from "../findings/error_line.ts";
import { findPanes, followSpec } from "./pane_refs.ts";
import type { FollowEnd } from "./protocol.ts";
import type { RemainOnExitLeases } from "./remain_on_exit_leases.ts";
import type { Supervisor } from "./supervisor.ts";
import type { WatchSource } from "./watch_source.ts";

export interface PaneWatchOptions extends ErrorPatterns {
  supervisor: Supervisor;
  leases: RemainOnExitLeases;
}

/**
 * Returns a source for the panes with these ids.
 * @throws {AppError} `not-found`
 */
export async function paneWatchSource(
  tmux: Tmux,
  paneIds: readonly string[],
  { supervisor, leases, errorPattern, errorIgnorePattern }: PaneWatchOptions,
): Promise<WatchSource> {
  const panes = await findPanes(tmux, paneIds);
  return {
    panes,
    ended: async () => {
      for (const pane of panes) {
        const [now] = await unlessGone(findPanes(tmux, [pane.paneId])) ?? [];
        // tmux 3.8 forgets the pid of a dead pane.
        if (now?.dead) return now;
        if (now?.panePid !== pane.panePid) return { ...pane, ending: {} };
      }
      return undefined;
    },
    begin: async (watchId, part, handlers) => {
      const leased = panes.map((pane) => leases.lease(tmux, pane));
      const release = async () => void await Promise.allSettled(leased.map(async (each) => (await each)?.()));
      try {
        const isLeased = (await Promise.all(leased)).some((each) => each !== undefined);
        const isHeld = isLeased || panes.some(({ stays }) => stays);
        const held = isHeld && { held: true as const };
        const spec = followSpec(tmux, panes, { errorPattern, errorIgnorePattern, ...part, ...held });
        const handle = supervisor.follow(spec, handlers, { watchId });
        await handle.ready;
        const end = (options: FollowEnd): Promise<void> => {
          handle.stop(options);
          return release();
        };
        return { handle, end, ids: {} };
      } catch (error) {
        await release();
        throw error;
      }
    },
  };
}
