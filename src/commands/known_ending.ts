// The exit code of a program that has ended unseen, from the command that ran it.
import { isKnown } from "../process/ending.ts";
import { within } from "../timer.ts";
import type { FoundPane } from "../watch/pane_refs.ts";
import type { FiredEvent } from "../watch/watch.ts";
import type { WatchSource } from "../watch/watch_source.ts";
import type { TrackedCommand } from "./tracked_command.ts";

/** Longest time (ms) for a shell that is back at its prompt to report its command's end; after Ctrl-C it is asked. */
const REPORTED_MS = 2000;
/** Time (ms) to read an end that the shell reported before the program in front, which may be one of its prompt. */
const READ_MS = 200;

/** Returns a source whose events have the exit codes that the kernel does not report. */
export function withExitCodes(
  source: WatchSource,
  latest: (pane: FoundPane) => TrackedCommand | undefined,
): WatchSource {
  const commands = new Map(source.panes.map((pane) => [pane.paneId, { pane, tracked: latest(pane) }]));
  return {
    ...source,
    begin: (watchId, part, handlers) =>
      source.begin(watchId, part, {
        ...handlers,
        event: (event) =>
          void withExitCode(event, commands.get(event.paneId)).then((known) => handlers.event?.(known)),
      }),
  };
}

/** Returns the event with the exit code of the pane's command, if it is an end that the kernel did not report. */
async function withExitCode<E extends FiredEvent>(
  event: E,
  { pane, tracked }: { pane?: FoundPane; tracked?: TrackedCommand | undefined } = {},
): Promise<E> {
  if (event.event !== "exit" || !pane || !tracked || isKnown(event.ending)) return event;
  if (tracked.running) await within(tracked.left, { ms: await patienceMs(tracked, pane) });
  if (tracked.exitCode === undefined) return event;
  const { commandId, exitCode: code } = tracked;
  return {
    ...event,
    detail: `Command ${commandId} has ended with exit code ${code}`,
    ending: { exitCode: code },
  };
}

/** Time for the command's end to arrive: little if its shell is not in front, because the command continues then. */
async function patienceMs({ shellPid, tmux }: TrackedCommand, pane: FoundPane): Promise<number> {
  const { inspector } = tmux.machine;
  const seen = await Promise.try(() => inspector.inspect(pane)).catch(() => undefined);
  if (shellPid === undefined || seen === undefined || seen.foregroundPid === shellPid) return REPORTED_MS;
  // The probe names the pane's process if the foreground group has just ended.
  const isBetween = seen.foregroundPid === seen.panePid && seen.foregroundGroup !== seen.panePid;
  if (isBetween) return REPORTED_MS;
  return seen.isPrompt ? 0 : READ_MS;
}
