// Requests about services, and what their calls bring along.
import type { ServiceStart } from "../tmux/service_panes.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { WatchRequest } from "../watch/watches.ts";
import type { StartParameters } from "./service_start.ts";

export interface ServiceRequest extends StartParameters {
  name: string;
  /** Restart it even if it runs. */
  restart: boolean;
  /** Maximum seconds to wait until it is ready. */
  timeout: number;
}

export interface Ensuring extends ServiceRequest {
  /** Time of `performance.now()` at which `timeout` is over. */
  until: number;
  /** Program of a new pane instead of the user's shell. */
  shell?: readonly string[];
}

export interface ServiceCall {
  tmux: Tmux;
  signal: AbortSignal;
  progress?: NonNullable<WatchRequest["progress"]>;
}

export interface EnsureCall extends ServiceCall {
  /**
   * Asks policy about typing into a service's pane, and runs `type` if it is allowed.
   * @throws {AppError} `denied`, or `busy` for a pane that would swallow what is typed
   */
  decideOnTyping<T>(paneId: string, type: (tmux: Tmux) => Promise<T>): Promise<T>;
  /**
   * Asks policy about restarting a pane's program, which ends the running one, with variables that an earlier call
   * may have given, and runs `restart` if it is allowed.
   * @throws {AppError} `denied`
   */
  decideOnRestart<T>(
    pane: { paneId: string; running: boolean; environment: ServiceStart["environment"] },
    restart: (tmux: Tmux) => Promise<T>,
  ): Promise<T>;
}
