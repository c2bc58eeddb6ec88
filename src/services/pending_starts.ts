// Services that a server process is still starting, as the options of their panes say.
import type { ProcessIdentity } from "../process/process_identity.ts";
import { listServicePanes, type ServicePane, type ServiceStart } from "../tmux/service_panes.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { pollUntil } from "../timer.ts";

/** Time (s) for a process that can't be checked to type its command. */
export const BEGIN_SECONDS = 5;
const POLL_MS = 50;

export class PendingStarts {
  readonly #process: ProcessIdentity | undefined;

  /** `process` is this process; undefined where the system shows no process to others. */
  constructor(process: ProcessIdentity | undefined) {
    this.#process = process;
  }

  /** True until a service's command has been typed, as long as the process that starts it lives. */
  has({ by, begun, ended, startedAt }: ServiceStart): boolean {
    if (begun || ended) return false;
    if (by === undefined || this.#process?.isElsewhere(by) !== false) {
      // The clock that wrote it may be ahead of this one.
      return Math.abs(Date.now() / 1000 - startedAt) < BEGIN_SECONDS;
    }
    return !this.#process.isDead(by);
  }

  /** Finds a service's pane once no process is starting the service any more, or time is up. */
  async find(
    tmux: Tmux,
    name: string,
    { seconds, signal }: { seconds: number; signal: AbortSignal },
  ): Promise<ServicePane | undefined> {
    let pane: ServicePane | undefined;
    const isSettled = async (): Promise<boolean> => {
      pane = (await listServicePanes(tmux)).find((each) => each.name === name);
      return pane === undefined || !this.has(pane.start);
    };
    await pollUntil(isSettled, { ms: seconds * 1000, pauseMs: POLL_MS, signal });
    return pane;
  }
}
