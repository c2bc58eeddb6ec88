// Sees that a program has woken since keys were typed to it, or that it still sleeps.
import { READS_IN_THREAD, UNSEEN } from "../process/classify.ts";
import { type PaneInspection, readerOf } from "../process/probe.ts";
import type { ProcessInspector } from "../process/process_inspector.ts";

/**
 * Time (ms) within which typed keys wake the program that waits for them. It waits until then as if it were done with
 * them: under load, the kernel can keep them for over a second.
 */
const WAKE_MS = 2000;

/**
 * Returns a check to call once keys are typed: true unless the program provably still sleeps, and its time to wake is
 * not over. Call it before they are typed, with the last inspection.
 */
export async function watchWaking(
  inspector: Pick<ProcessInspector, "sleeps">,
  inspection: PaneInspection,
): Promise<() => Promise<boolean>> {
  const { pid } = readerOf(inspection);
  const { waitingForInput, evidence } = inspection;
  // Only the sleeps of the main thread are counted, and among another user's programs the reader is unknown.
  const isCounted = waitingForInput && ![READS_IN_THREAD, UNSEEN].some((sign) => evidence.includes(sign));
  /** Number of times the program had slept; undefined if that is unknown, or has changed. */
  let slept = isCounted ? await inspector.sleeps(pid) : undefined;
  let until: number | undefined;
  return async () => {
    if (slept === undefined) return true;
    until ??= performance.now() + WAKE_MS;
    if (performance.now() < until && await inspector.sleeps(pid) === slept) return false;
    slept = undefined;
    return true;
  };
}
