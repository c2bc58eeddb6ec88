// A question whose pane is killed, can't be read or has another size while it is asked.
import { assertEquals, assertRejects } from "@std/assert";
import { AppError, notFound } from "../../src/errors.ts";
import { Question, type QuestionOptions } from "../../src/handover/question.ts";

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

const THERE = { panes: [{ paneId: PANE.paneId, pid: PANE.panePid, dead: false }] };

/** A program that the end of its pane wakes, before it ends itself; `snapshot` says which panes are there. */
async function wokenQuestion(snapshot: () => Promise<unknown>): Promise<Question> {
  let wakes = 0;
  let reads = 0;
  const tmux = {
    machine: {
      inspector: { inspect: () => Promise.resolve(WAITING), sleeps: () => Promise.resolve(++wakes) },
    },
    rows: {
      read: () => reads++ === 0 ? Promise.resolve(PLACE) : Promise.reject(notFound("pane", PANE.paneId)),
    },
    run: () => Promise.resolve("Name?\n"),
    snapshot,
  };
  const question = await Question.read({ tmux, pane: PANE } as unknown as QuestionOptions);
  return question!;
}

Deno.test("a question is over once its pane is killed, although its program still waits", async () => {
  const question = await wokenQuestion(() => Promise.resolve({ panes: [] }));
  assertEquals(await question.untilAnswered(new AbortController().signal), true);
  assertEquals(await question.isAlive(), false);
});

Deno.test("a pane that is there and can't be read is an error", async () => {
  const question = await wokenQuestion(() => Promise.resolve(THERE));
  await assertRejects(() => question.untilAnswered(new AbortController().signal), Error, PANE.paneId);
});

Deno.test("a question is over once its tmux server is gone; one that doesn't answer is an error", async () => {
  const ended = await wokenQuestion(() => Promise.reject(new AppError("gone", "The tmux server ended")));
  assertEquals(await ended.untilAnswered(new AbortController().signal), true);
  const late = await wokenQuestion(() => Promise.reject(new AppError("timeout", "tmux is late")));
  await assertRejects(() => late.untilAnswered(new AbortController().signal), AppError, "tmux is late");
});

Deno.test("a wait that ends sees an answer that has just been read, and a question that is open", async () => {
  for (const isAnswered of [true, false]) {
    let looks = 0;
    const inspect = () => Promise.resolve({ ...WAITING, waitingForInput: looks++ === 0 || !isAnswered });
    const tmux = {
      machine: { inspector: { inspect, sleeps: () => Promise.resolve(1) } },
      rows: { read: () => Promise.resolve(PLACE) },
      run: () => Promise.resolve("Name?\n"),
      snapshot: () => Promise.resolve(THERE),
    };
    const question = (await Question.read({ tmux, pane: PANE } as unknown as QuestionOptions))!;
    assertEquals(await question.untilAnswered(AbortSignal.abort()), isAnswered);
  }
});

/** A program that takes keys, and works for this many looks before it waits again. */
async function readAgain(looks: number): Promise<boolean> {
  let looked = 0;
  const inspect = () => Promise.resolve({ ...WAITING, waitingForInput: looked++ >= looks });
  const tmux = {
    machine: { inspector: { inspect, sleeps: () => Promise.resolve(1) } },
    rows: { read: () => Promise.resolve(PLACE) },
    run: () => Promise.resolve("Name?\n"),
  };
  const options = { tmux, pane: PANE } as unknown as QuestionOptions;
  return await Question.readAgain(options, new AbortController().signal) !== undefined;
}

Deno.test("a program that draws for a moment still asks; one that works for longer has its answer", async () => {
  assertEquals(await readAgain(2), true);
  assertEquals(await readAgain(Infinity), false);
});

/** A program whose terminal has a new size after 0.2 s; `wokenAt` says when it wakes, to ask again. */
async function resizedQuestion(
  { wokenAt, workMs = 500, next = "Name?" }: {
    wokenAt: (reads: number, since: number) => number;
    workMs?: number;
    next?: string;
  },
): Promise<Question> {
  const asked = performance.now();
  let reads = 0;
  const since = () => performance.now() - asked;
  const sinceWoken = () => {
    const now = since();
    return now - wokenAt(reads, now);
  };
  const isWoken = () => sinceWoken() >= 0;
  const isWorking = () => isWoken() && sinceWoken() < workMs;
  const tmux = {
    machine: {
      inspector: {
        inspect: () => Promise.resolve({ ...WAITING, waitingForInput: !isWorking() }),
        // Counts as the program goes to sleep again, not as it wakes.
        sleeps: () => Promise.resolve(isWoken() && !isWorking() ? 2 : 1),
      },
    },
    rows: {
      read: () => {
        reads++;
        return Promise.resolve({ ...PLACE, width: since() < 200 ? 80 : 120, row: isWoken() ? 1 : 0 });
      },
    },
    run: () => Promise.resolve(isWoken() ? `Name?\n${next}\n` : "Name?\n"),
    snapshot: () => Promise.resolve(THERE),
  };
  return (await Question.read({ tmux, pane: PANE } as unknown as QuestionOptions))!;
}

Deno.test("the same question, asked again soon after a new size has woken nobody, is another one", async () => {
  // The third read finds that size again, while the program still sleeps.
  let wokenAt = Infinity;
  const question = await resizedQuestion({
    wokenAt: (reads, since) => wokenAt = Math.min(wokenAt, reads >= 3 ? since + 300 : Infinity),
  });
  assertEquals(await question.untilAnswered(AbortSignal.timeout(30_000)), true);
});

Deno.test("an answer that comes while a new size is read is noticed", async () => {
  // The third read finds that size again, and the program at work.
  let wokenAt = Infinity;
  const question = await resizedQuestion({
    wokenAt: (reads, since) => wokenAt = Math.min(wokenAt, reads >= 3 ? since : Infinity),
    workMs: 5,
    next: "Age?",
  });
  assertEquals(await question.untilAnswered(AbortSignal.timeout(30_000)), true);
});

Deno.test("a question that a program draws again for a new size, of which it learns late, stays open", async () => {
  // The second read finds the new size; the program learns of it a moment later.
  const question = await resizedQuestion({ wokenAt: () => 1300 });
  assertEquals(await question.untilAnswered(AbortSignal.timeout(4000)), false);
});
