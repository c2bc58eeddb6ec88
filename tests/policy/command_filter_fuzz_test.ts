// A short, fixed run of `deno task soak:filter`: what the filter allows starts nothing that it denies.
import { assert, assertEquals } from "@std/assert";
import { prepareExecution, type Shell, SHELLS } from "./execution.ts";
import { runFuzz } from "./command_filter_fuzz.ts";

Deno.test("a command that a shell starts is seen, in the foreground and behind it", async () => {
  await using execution = await prepareExecution();
  for (const shell of Object.keys(SHELLS) as Shell[]) {
    const run = await execution.run("a0; d0 & a1", shell);
    for (let left = 100; left > 0 && (await run.started()).size < 3; left--) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assertEquals([...await run.started()].sort(), ["a0", "a1", "d0"], shell);
  }
});

Deno.test("no shell starts a denied command in a random text that the filter allows", async () => {
  const { bypasses, started } = await runFuzz(20_240_101, ({ texts }) => texts < 1000);
  assertEquals(bypasses, []);
  assert(started > 80, `only ${started} runs started something: the texts prove nothing`);
});
