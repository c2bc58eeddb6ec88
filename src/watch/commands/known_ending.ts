// The exit code of a program that has ended unseen, from the record of the command that ran it.
import { isKnown } from "../../process/ending.ts";
import { within } from "../../timer.ts";
import type { FoundPane } from "../pane_refs.ts";
import type { FiredEvent } from "../watch.ts";
import type { WatchSource } from "../watch_source.ts";
import type { CommandRecord } from "./record.ts";

/** Longest time (ms) for a shell that is back at its prompt to report its command's end; after Ctrl-C it is asked. */
const REPORTED_MS = 2000;

/** Returns a source whose events have the exit codes that the kernel does not report. */
export function withExitCodes(
  source: WatchSource,
  latest: (pane: FoundPane) => CommandRecord | undefined,
): WatchSource {
  const records = new Map(source.panes.map((pane) => [pane.paneId, latest(pane)]));
  return {
    ...source,
    begin: (watchId, part, handlers) =>
      source.begin(watchId, part, {
        ...handlers,
        event: (event) =>
          void withExitCode(event, records.get(event.paneId)).then((known) => handlers.event?.(known)),
      }),
  };
}

/** Returns the event with the exit code of the pane's command, if it is an end that the kernel did not report. */
async function withExitCode<E extends FiredEvent>(
  event: E,
  record: CommandRecord | undefined,
): Promise<E> {
  if (event.event !== "exit" || !record || isKnown(event.ending)) return event;
  await within(record.left, { ms: REPORTED_MS, late: () => {} });
  if (record.exitCode === undefined) return event;
  const { commandId, exitCode: code } = record;
  return {
    ...event,
    detail: `Command ${commandId} has ended with exit code ${code}`,
    ending: { exitCode: code },
  };
}
