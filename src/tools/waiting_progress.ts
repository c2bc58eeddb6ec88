// Progress of a wait that is no watch: a line each second says that the call still waits, and for what.
import type { ToolContext } from "../tool.ts";

const PROGRESS_MS = 1000;

export interface WaitReport {
  paneId?: string;
  /** Timeout in seconds. */
  total: number;
  /** Start of the call (`performance.now()`); absent: now. */
  began?: number;
  message(): string;
  /** Seconds that the message names; absent: those of the call. */
  age?(): number;
}

/** Reports progress until the scope ends, as `[%6 +2.1s] no prompt yet`; nothing if the caller wants none. */
export function reportWaiting(
  { progress }: { progress?: ToolContext["progress"] | undefined },
  { paneId, total, began = performance.now(), message, age }: WaitReport,
): Disposable {
  const timer = progress && setInterval(() => {
    const elapsed = (performance.now() - began) / 1000;
    const where = paneId === undefined ? "" : `${paneId} `;
    progress({ elapsed, total, message: `[${where}+${(age?.() ?? elapsed).toFixed(1)}s] ${message()}` });
  }, PROGRESS_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
