// Runs steps of a test that mostly wait some at a time.

export interface Step {
  name: string;
  run(): Promise<void>;
}

const AT_ONCE = 4;

/** The test that they are steps of is the one that is checked for leaks: a step can't tell its own from another's. */
export async function sideBySide(
  test: Deno.TestContext,
  steps: Iterable<Step>,
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
  await Promise.all(Array.from({ length: AT_ONCE }, runNext));
}
