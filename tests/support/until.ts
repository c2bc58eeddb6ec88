/** Intervals of polls: most of what tests wait for is soon there, and each poll takes CPU that the waited for needs. */
const FIRST_MS = 5;
const LAST_MS = 40;

/**
 * Polls until the condition is true, less and less often, or at the interval that is given.
 * @throws after 20 s, so that a test fails instead of hanging
 */
export async function until(isSo: () => Promise<boolean> | boolean, everyMs?: number): Promise<void> {
  const late = performance.now() + 20_000;
  for (let pauseMs = everyMs ?? FIRST_MS; !await isSo();) {
    if (performance.now() > late) throw new Error(`Still not so after 20 s: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (everyMs === undefined) pauseMs = Math.min(pauseMs * 1.3, LAST_MS);
  }
}
