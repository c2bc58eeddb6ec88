// A question whose pane is killed while it is asked.
import { assertEquals, assertRejects } from "@std/assert";
import { notFound } from "../../../src/errors.ts";
import { Question, type QuestionOptions } from "../../../src/watch/handover/question.ts";

const PANE = { paneId: "%1", panePid: 10 };
const PLACE = { column: 5, row: 0, history: 0, historyLimit: 100, historyBytes: 0, width: 80, height: 24 };
const WAITING = {
  isAlive: true,
  waitingForInput: true,
  inputKind: "line",
  foregroundPid: 10,
  foregroundCmd: "read",
  evidence: "reads the terminal",
};

/** A program that the end of its pane wakes, before it ends itself. */
async function wokenQuestion({ isThere }: { isThere: boolean }): Promise<Question> {
  let wakes = 0;
  let reads = 0;
  const panes = isThere ? [{ paneId: PANE.paneId, pid: PANE.panePid, dead: false }] : [];
  const tmux = {
    machine: {
      inspector: { inspect: () => Promise.resolve(WAITING), sleeps: () => Promise.resolve(++wakes) },
    },
    rows: {
      read: () => reads++ === 0 ? Promise.resolve(PLACE) : Promise.reject(notFound("pane", PANE.paneId)),
    },
    run: () => Promise.resolve("Name?\n"),
    snapshot: () => Promise.resolve({ panes }),
  };
  const question = await Question.read({ tmux, pane: PANE } as unknown as QuestionOptions);
  return question!;
}

Deno.test("a question is over once its pane is killed, although its program still waits", async () => {
  const question = await wokenQuestion({ isThere: false });
  assertEquals(await question.untilAnswered(new AbortController().signal), true);
  assertEquals(await question.isAlive(), false);
});

Deno.test("a pane that is there and can't be read is an error", async () => {
  const question = await wokenQuestion({ isThere: true });
  await assertRejects(() => question.untilAnswered(new AbortController().signal), Error, PANE.paneId);
});
