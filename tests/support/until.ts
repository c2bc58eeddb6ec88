/** Pauses between polls: most of what tests wait for is soon there, and each poll takes CPU from the awaited program. */
const FIRST_MS = 5;
const LAST_MS = 200;

/**
 * Polls until the condition is true, less and less often.
 * @throws after 20 s, so that a test fails instead of hanging
 */
export async function until(isSo: () => Promise<boolean> | boolean, firstMs = FIRST_MS): Promise<void> {
  const late = performance.now() + 20_000;
  for (let pauseMs = firstMs; !await isSo(); pauseMs = Math.min(pauseMs * 1.5, LAST_MS)) {
    if (performance.now() > late) throw new Error(`Still not so after 20 s: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
