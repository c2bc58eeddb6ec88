// Parameters of a service's start: of a new one, and compared with those of the running service.
import { isGone } from "../errors.ts";
import { bestEffort } from "../promises.ts";
import type { ServiceStart } from "../tmux/service_panes.ts";
import type { Tmux } from "../tmux/tmux.ts";

export type StartParameters = Pick<
  ServiceStart,
  "command" | "startDirectory" | "environment" | "pattern" | "port"
>;

/** Returns the start that begins now, by this process. */
export function newStart(
  { command, startDirectory, environment, pattern, port }: StartParameters,
  { processStamp: by }: Tmux,
): ServiceStart {
  const startedAt = Math.floor(Date.now() / 1000);
  return { command, startDirectory, environment, pattern, port, startedAt, id: crypto.randomUUID(), by };
}

/** Another call restarts the service that this one was about to restart. */
export class RestartedElsewhere extends Error {}

/** Starts a service. If `start` fails before it calls `begun`, `undo` runs. */
export async function startOrUndo<T>(
  start: (begun: () => void) => Promise<T>,
  { begun, undo }: { begun: () => void; undo: () => Promise<unknown> },
): Promise<T> {
  let hasBegun = false;
  const noted = (): void => {
    hasBegun = true;
    begun();
  };
  try {
    return await start(noted);
  } catch (error) {
    if (!hasBegun) await bestEffort(undo());
    throw error;
  }
}

/** Tries, each of which may find that the pane which the last one found has closed meanwhile, or tmux with it. */
const MAX_TRIES = 3;

/** Starts a service once more if its pane closed before `start` has called `begun`. */
export async function startAgainIfGone<T>(
  start: (begun: () => void) => Promise<T>,
  begun: () => void,
): Promise<T> {
  let hasBegun = false;
  const noted = (): void => {
    hasBegun = true;
    begun();
  };
  for (let tries = 1;; tries++) {
    try {
      return await start(noted);
    } catch (error) {
      if (hasBegun || tries === MAX_TRIES || !isGone(error)) throw error;
    }
  }
}

/** True if a call describes the running service; omitted fields count as equal. */
export function isSame(
  { command, startDirectory, environment }: StartParameters,
  start: ServiceStart,
): boolean {
  const text = (variables: ServiceStart["environment"]) =>
    JSON.stringify(Object.entries(variables ?? {}).sort());
  return command === start.command &&
    (startDirectory === undefined || startDirectory === start.startDirectory) &&
    (environment === undefined || text(environment) === text(start.environment));
}
