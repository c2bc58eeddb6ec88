import { assertEquals } from "@std/assert";
import { Interruption } from "../../../src/watch/commands/interruption.ts";
import type { PaneInspection } from "../../../src/process/probe.ts";

const AT_PROMPT = { shell: "bash", waitingForInput: true, foregroundPid: 7 } as PaneInspection;

/** What is asked of a command whose shell shows its prompt, in order, until it is taken for over or asked so often. */
async function asked(caughtUp: readonly boolean[]): Promise<string[]> {
  const said: string[] = [];
  const answers = [...caughtUp];
  const over = Promise.withResolvers<void>();
  const interruption = new Interruption({
    shell: {
      pid: 7,
      image: undefined,
      inspect: () => AT_PROMPT,
      imageNow: () => undefined,
      sleeps: () => undefined,
    },
    isCaughtUp() {
      said.push("caught up?");
      const answer = answers.shift() ?? false;
      if (answers.length === 0 && !answer) over.resolve();
      return Promise.resolve(answer);
    },
    showsPrompt: () => Promise.resolve(true),
    returned() {
      said.push("returned");
      over.resolve();
      return Promise.resolve();
    },
  });
  interruption.saw(new TextEncoder().encode("the output stops in the middle of a li"));
  interruption.watch();
  await over.promise;
  interruption.close();
  return said;
}

Deno.test("a shell at its prompt whose command's output is still on the way has not returned", async () => {
  assertEquals(await asked([false, false]), ["caught up?", "caught up?"]);
});

Deno.test("a shell at its prompt whose command's output has come has returned", async () => {
  assertEquals(await asked([false, true]), ["caught up?", "caught up?", "returned"]);
});
