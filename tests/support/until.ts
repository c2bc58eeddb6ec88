/**
 * Polls until the condition is true.
 * @throws after 20 s, so that a test fails instead of hanging
 */
export async function until(isSo: () => Promise<boolean> | boolean, everyMs = 5): Promise<void> {
  const late = performance.now() + 20_000;
  while (!await isSo()) {
    if (performance.now() > late) throw new Error(`Still not so after 20 s: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
