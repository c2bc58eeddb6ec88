// Waits for the end of a job that Ctrl-Z has stopped: its shell prints no mark for it any more.
import type { ProcessInspector } from "../process/process_inspector.ts";

const POLL_MS = 250;

/** Settles once the process is gone, or when the command's record ends for another reason. */
export async function untilGone(
  pid: number,
  inspector: ProcessInspector,
  over: Promise<void>,
): Promise<void> {
  let isOver = false;
  void over.then(() => isOver = true);
  const born = await inspector.startTime(pid);
  for (let now = born; now !== undefined && now === born && !isOver;) {
    await new Promise((resolve) => Deno.unrefTimer(setTimeout(resolve, POLL_MS)));
    now = await inspector.startTime(pid);
  }
}

/** Name of a job in records: its pid and start time, which is undefined once it is gone. */
export function jobName(pid: number, startTime: string | undefined): string {
  return `${pid} ${startTime ?? ""}`;
}
