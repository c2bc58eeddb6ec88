// A shell that is asked for a status, and is at its prompt before it has received the question.
import { assert, assertRejects } from "@std/assert";
import { findDialect } from "../../src/shell/dialects.ts";
import type { Command } from "../../src/tmux_exec/exec.ts";
import { newMarks } from "../../src/watch/protocol.ts";
import { askForStatus, CannotAnswer, type StatusQuestion } from "../../src/commands/status_question.ts";

const CURSOR = "2 0 0 80 24 2000  ";
/** Looks at a shell that still sleeps, more than would show that it has given up. */
const ASLEEP = 5;

Deno.test("a shell that has not woken since the question was typed has not refused it", async () => {
  let looks = 0;
  const send = (...commands: Command[]): Promise<string> => {
    const [name, , , , format = ""] = commands.at(-1) ?? [];
    return Promise.resolve(name === "capture-pane" ? "$ " : format.includes("cursor_x") ? CURSOR : "");
  };
  const shell = {
    dialect: findDialect("bash")!,
    edits: true,
    seen: { line: () => "empty", sleeps: () => looks > ASLEEP ? 2 : 1 },
    waits: () => Promise.resolve(++looks > 0),
  };
  const question = {
    ...{ paneId: "%0", shell, marks: newMarks(), send },
    spec: () => ({}),
    supervisor: { follow: () => ({ ready: Promise.resolve(), stop() {} }) },
    lock: () => Promise.resolve({ takenOver: false, release() {} }),
    asks() {},
  };
  await assertRejects(() => askForStatus(question as unknown as StatusQuestion), CannotAnswer);
  assert(looks > ASLEEP, `refused after ${looks} looks`);
});
