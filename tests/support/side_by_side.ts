// Runs several steps of a test at a time, because they mostly wait.

export interface Step {
  name: string;
  run(t: Deno.TestContext): Promise<void>;
}

const AT_ONCE = 4;

/** Only the test is checked for leaks, because a step can't distinguish its own from another's. */
export async function sideBySide(
  test: Deno.TestContext,
  steps: Iterable<Step>,
  atOnce = AT_ONCE,
): Promise<void> {
  const waiting = [...steps].values();
  const runNext = async () => {
    for (const { name, run } of waiting) {
      await test.step({
        name,
        fn: run,
        sanitizeExit: false,
        sanitizeOps: false,
        sanitizeResources: false,
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, runNext));
}

/** Declares a test whose steps are what the returned function declares, each with a world of its own. */
export function testSideBySide(about: string): (name: string, run: Step["run"]) => void {
  const steps: Step[] = [];
  Deno.test(about, (t) => sideBySide(t, steps));
  return (name, run) => void steps.push({ name, run });
}
