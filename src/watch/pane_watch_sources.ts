// Watches existing panes: each is followed, and held until its final output has been read.
import type { Tmux } from "../tmux/tmux.ts";
import type { ErrorPatterns } from "../findings/error_line.ts";
import type { FollowHandlers } from "./follow.ts";
import { findPanes, type FoundPane } from "./pane_refs.ts";
import type { FollowEnd, FollowSpec } from "./protocol.ts";
import type { RemainOnExitLeases } from "./remain_on_exit_leases.ts";
import type { Supervisor } from "./supervisor.ts";
import type { SourceRun, WatchPart, WatchSource } from "./watch_source.ts";

export interface PaneWatchOptions extends ErrorPatterns {
  supervisor: Supervisor;
  leases: RemainOnExitLeases;
}

export class PaneWatchSources {
  readonly #options: PaneWatchOptions;

  constructor(options: PaneWatchOptions) {
    this.#options = options;
  }

  /**
   * Returns a source for the panes with these ids.
   * @throws {AppError} `not-found`
   */
  async of(tmux: Tmux, paneIds: readonly string[]): Promise<WatchSource> {
    const panes = await findPanes(tmux, paneIds);
    return {
      panes,
      begin: (watchId, part, handlers) => this.#follow({ tmux, panes, watchId, part, handlers }),
    };
  }

  /** Returns the message that starts a follow of these panes. */
  spec(tmux: Tmux, panes: readonly FoundPane[], part: WatchPart): FollowSpec {
    const { errorPattern, errorIgnorePattern } = this.#options;
    return {
      server: tmux.target,
      panes: panes.map(({ paneId, sessionId, panePid, tty, columns, serverKey }) => ({
        paneId,
        sessionId,
        panePid,
        tty,
        columns,
        serverKey,
      })),
      errorPattern,
      errorIgnorePattern,
      stream: false,
      lingerMs: 0,
      ...part,
    };
  }

  async #follow({ tmux, panes, watchId, part, handlers }: {
    tmux: Tmux;
    panes: FoundPane[];
    watchId: string;
    part: WatchPart;
    handlers: FollowHandlers;
  }): Promise<SourceRun> {
    const { supervisor, leases } = this.#options;
    const leased = panes.map((pane) => leases.lease(tmux, pane));
    const release = async () => void await Promise.allSettled(leased.map(async (each) => (await each)?.()));
    try {
      const isHeld = (await Promise.all(leased)).some((each) => each !== undefined);
      const spec = this.spec(tmux, panes, part);
      const handle = supervisor.follow({ ...spec, ...(isHeld && { held: true }) }, handlers, { watchId });
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
  }
}
