// Notices that a command's program is waiting for terminal input, so that the caller needn't wait any longer.
import { InputWait } from "../process/input_wait.ts";
import type { PaneInspection } from "../process/probe.ts";
import type { FollowHandlers } from "../watch/follow.ts";
import type { WaitingProgram } from "../watch/handed_over.ts";
import { isShell } from "./prompt/inner_shell.ts";
import type { SeenShell } from "./seen_shell.ts";
import type { TrackedCommand } from "./tracked_command.ts";
import { type QuestionPlace, waitingProgram } from "./shown_question.ts";
import { delay } from "../timer.ts";

interface InputWaitOptions {
  inspect(): PaneInspection | Promise<PaneInspection>;
  /** True if the shell at its prompt is waiting, and not the command's program. */
  isPrompt(inspection: PaneInspection): Promise<boolean>;
  /** Time of the command's last output (`performance.now()`). */
  printedAt(): number;
  /** Deadline (`performance.now()`); a wait that began before it is observed to its end. */
  until: number;
  signal: AbortSignal;
}

/**
 * Time (ms) that a program must wait. A program that reads line after line from a fast writer never waits this long.
 * Together with the first inspection, the reply and its transport, a caller learns of a question within 300 ms.
 */
const STABLE_MS = 150;
const POLL_MS = 50;
/** Pause between two inspections, as a multiple of the time one takes, which is long on another machine. */
const REST_FACTOR = 10;

/** Returns the inspection of a program once it has waited long enough; undefined at the deadline. */
async function untilWaiting(
  { inspect, isPrompt, printedAt, until, signal }: InputWaitOptions,
): Promise<PaneInspection | undefined> {
  const wait = new InputWait(STABLE_MS);
  for (let pause = POLL_MS; !signal.aborted;) {
    const left = wait.isShort ? Infinity : Math.max(until - performance.now(), 0);
    const due = wait.isShort ? wait.dueIn(performance.now())! : Infinity;
    await delay(Math.min(pause, left, Math.max(due, 1)), signal);
    // The command has ended, as most have by now: an inspection would delay the next one.
    if (signal.aborted) return undefined;
    const began = performance.now();
    const inspection = await inspect();
    pause = Math.max(POLL_MS, (performance.now() - began) * REST_FACTOR);
    wait.note(inspection, began, printedAt());
    if (wait.asks(performance.now())) {
      if (!await isPrompt(inspection)) return inspection;
      wait.reset();
    }
    if (!wait.isShort && performance.now() >= until) return undefined;
  }
  return undefined;
}

export interface CommandQuestion extends QuestionPlace {
  tracked: TrackedCommand;
  shell: Pick<SeenShell, "pid" | "inspect" | "asks"> & Partial<Pick<SeenShell, "isGone">>;
  isAtPrompt(): Promise<boolean>;
}

/** Has callers that wait for a command learn of its program's questions. */
export function noticeQuestions(question: CommandQuestion): void {
  question.tracked.untilWaiting = (until, signal) => untilAsked(question, { until, signal });
}

/** Returns the handlers of a command's watch, which takes the prompt of the command's shell for no question. */
export function withoutPrompts(
  handlers: FollowHandlers | undefined,
  isAtPrompt: () => Promise<boolean> | undefined,
): Partial<FollowHandlers> {
  const { asks } = handlers ?? {};
  if (!asks) return { ...handlers };
  const isPrompt = async () => await isAtPrompt() ?? false;
  return {
    ...handlers,
    asks: async (asked) => asked.mayBeDone && await isPrompt().catch(() => false) || await asks(asked),
  };
}

/** Returns the question of a command's program once it has waited for a moment; undefined at the deadline. */
export async function untilAsked(
  { tracked, shell, isAtPrompt, ...place }: CommandQuestion,
  limit: Pick<InputWaitOptions, "until" | "signal">,
): Promise<WaitingProgram | undefined> {
  const inspection = await untilWaiting({
    ...limit,
    inspect: () => shell.inspect(),
    printedAt: () => tracked.output.printedAt,
    isPrompt: async (inspection) => {
      const { inner } = tracked;
      if (inspection.foregroundPid !== shell.pid) {
        if (inner !== undefined) return isShell(inspection, inner.named);
        // Behind the shell, which may have ended, is the one that started it.
        return inspection.shell !== undefined && await shell.isGone?.() === true;
      }
      // The shell may have become a program that asks (`exec python3`), which has no prompt of a shell's.
      if (inspection.shell === undefined) return false;
      // While it is asked for the status, it reads what we have yet to type.
      return tracked.state === "asking" || !shell.asks(inspection) && await isAtPrompt();
    },
  });
  return await waitingProgram(inspection, place);
}
