// Programs of a service that outlive its pane: those that ignore Ctrl-C and the end of their terminal.
import { AppError } from "../errors.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { pollUntil } from "../timer.ts";
import { findPanes, type FoundPane } from "../watch/pane_refs.ts";
import type { ServiceActivity } from "./service_activity.ts";

/** Time for programs to end with their terminal (ms). */
const HANG_UP_MS = 500;
/** Time for them to end after SIGTERM (ms). */
const TERMINATE_MS = 4000;
const POLL_MS = 50;

export interface ServiceProgram {
  pid: number;
  command?: string;
  port?: number;
}

/** The same, with the start time that tells it from a later process with its pid. */
export interface IdentifiedProgram extends ServiceProgram {
  startTime: string;
}

/** Finds the programs of a service that runs, without what others have left in the background of its pane. */
export async function findPrograms(
  tmux: Tmux,
  paneId: string,
  { ports = [], front }: ServiceActivity,
): Promise<IdentifiedProgram[]> {
  const [pane] = front === undefined ? [] : await findPanes(tmux, [paneId]);
  const beside = pane && front ? await youngerThan(tmux, pane, front.pid) : [];
  const all: ServiceProgram[] = [
    ...ports.map(({ pid, command, port }) => ({ pid, command, port })),
    ...(front ? [front] : []),
    ...beside.map((pid) => ({ pid })),
  ];
  // The first entry of a process counts, which may name its port.
  const each = [...new Map(all.toReversed().map((program) => [program.pid, program])).values()];
  const identified = await Promise.all(each.map(async (program) => {
    const startTime = await tmux.machine.inspector.startTime(program.pid);
    return startTime === undefined ? [] : [{ ...program, startTime }];
  }));
  return identified.flat();
}

/** Pids of a pane's programs that began after the one in front: its shell starts none meanwhile. */
async function youngerThan(
  { machine: { inspector } }: Tmux,
  pane: FoundPane,
  pid: number,
): Promise<readonly number[]> {
  const age = pid === pane.panePid ? undefined : await inspector.ageMs(pid);
  return age === undefined ? [] : await inspector.youngerThan?.(pane, age, { attached: true }) ?? [];
}

/** Ends the programs that have outlived their pane. Returns those that SIGTERM did not end either. */
export async function endPrograms(
  { tmux: { machine }, signal }: { tmux: Tmux; signal: AbortSignal },
  programs: readonly IdentifiedProgram[],
): Promise<ServiceProgram[]> {
  let left = programs;
  const areOver = async (): Promise<boolean> => {
    const times = await Promise.all(left.map(({ pid }) => machine.inspector.startTime(pid)));
    left = left.filter(({ startTime }, index) => times[index] === startTime);
    return left.length === 0;
  };
  // Nothing finds them later, so they are ended even if the call is cancelled meanwhile.
  if (await pollUntil(areOver, { ms: HANG_UP_MS, pauseMs: POLL_MS })) return [];
  for (const { pid, startTime } of left) await machine.terminate(pid, startTime);
  await pollUntil(areOver, { ms: TERMINATE_MS, pauseMs: POLL_MS, signal });
  return left.map(({ startTime: _, ...program }) => program);
}

/** Returns the error for a restart of a service with a program that nothing ends. */
export function stillRuns(service: string, { pid, command, port }: ServiceProgram): AppError {
  const where = port === undefined ? "" : ` and listens on port ${port}`;
  const program = command === undefined ? `process ${pid}` : `${command} (pid ${pid})`;
  return new AppError("busy", `Cannot restart service "${service}": ${program} still runs${where}`, {
    hint: "It has not ended after Ctrl-C and SIGTERM: end it, then call ensure-service again",
  });
}
