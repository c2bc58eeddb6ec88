// The question of a command's program, told apart from what its shell waits for.
import { assertEquals } from "@std/assert";
import { type CommandQuestion, untilAsked, withoutPrompts } from "../../src/commands/command_question.ts";
import type { WrappedScreen } from "../../src/watch/followed_screen.ts";

const SCREEN: WrappedScreen = {
  ...{ text: "Name? ", columns: 60, rows: 1, cursorColumn: 6, cursorRow: 0, cursor: { column: 6, row: 0 } },
  ...{ alternateOn: false, history: 0, lineAbove: [] },
};

/** Returns the question of a shell that waits without a line editor, in a state of its command. */
async function asked(state: string): Promise<string | undefined> {
  const inspection = {
    isAlive: true,
    waitingForInput: true,
    inputKind: "raw",
    shell: "bash",
    foregroundPid: 10,
    foregroundCmd: "bash",
    evidence: "read(0) on /dev/pts/1",
  };
  const question = {
    tracked: { state, output: { printedAt: 0 } },
    shell: { pid: 10, inspect: () => inspection, asks: () => true },
    isAtPrompt: () => Promise.resolve(true),
    screen: () => Promise.resolve(SCREEN),
  } as unknown as CommandQuestion;
  const until = performance.now() + 1000;
  const waiting = await untilAsked(question, { until, signal: new AbortController().signal });
  return waiting?.prompt;
}

Deno.test("a shell that reads by itself asks, but not while it is asked for the command's status", async () => {
  assertEquals(await asked("running"), "Name? ");
  assertEquals(await asked("asking"), undefined);
});

Deno.test("a watch hears of a question unless the shell that may be done is at its prompt", async () => {
  const failed = Promise.reject(new Error("tmux is late"));
  failed.catch(() => {});
  const cases = [
    { mayBeDone: true, isAtPrompt: Promise.resolve(true), asked: 0 },
    { mayBeDone: true, isAtPrompt: Promise.resolve(false), asked: 1 },
    { mayBeDone: true, isAtPrompt: undefined, asked: 1 },
    { mayBeDone: true, isAtPrompt: failed, asked: 1 },
    { mayBeDone: false, isAtPrompt: Promise.resolve(true), asked: 1 },
  ];
  for (const { mayBeDone, isAtPrompt, asked } of cases) {
    let heard = 0;
    const asks = () => Promise.resolve(++heard > 1);
    const handlers = withoutPrompts({ failed() {}, asks }, () => isAtPrompt);
    const goesOn = await handlers.asks!({ kind: "asks", watchId: "w1", paneId: "%1", detail: "", mayBeDone });
    assertEquals([heard, goesOn], [asked, asked === 0]);
  }
});
