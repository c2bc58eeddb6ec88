// Notices that a command's program waits for the terminal, so that its caller need not wait any longer.
import { InputWait } from "../../process/input_wait.ts";
import type { PaneInspection } from "../../process/probe.ts";
import type { WaitingProgram } from "./command_result.ts";
import { isShell } from "./prompt/inner_shell.ts";
import type { SeenShell } from "./interruption.ts";
import type { CommandRecord } from "./record.ts";
import type { FollowedScreen } from "../followed_screen.ts";
import { questionOn } from "./shown_question.ts";
import { delay } from "../../timer.ts";

interface InputWaitOptions {
  inspect(): PaneInspection | Promise<PaneInspection>;
  /** True if what waits is the shell at its prompt, and not the command. */
  isPrompt(inspection: PaneInspection): Promise<boolean>;
  /** Time of the command's last output (`performance.now()`). */
  printedAt(): number;
  /** `performance.now()`; a wait that has begun by then is seen to its end. */
  until: number;
  signal: AbortSignal;
}

/**
 * A program that reads line after line from a fast writer never waits this long (ms). With the
 * first inspection, the answer and the way to the client, a caller knows of a question within 300 ms.
 */
const STABLE_MS = 150;
const POLL_MS = 50;
/** Pause between two inspections, as a multiple of the time one takes: on another machine that is long. */
const REST_FACTOR = 10;

/** The inspection of a program once it has waited for a moment, or for longer beside its work; undefined when it does not until time is up. */
async function untilWaiting(
  { inspect, isPrompt, printedAt, until, signal }: InputWaitOptions,
): Promise<PaneInspection | undefined> {
  const wait = new InputWait(STABLE_MS);
  for (let pause = POLL_MS; !signal.aborted;) {
    const left = wait.isShort ? Infinity : Math.max(until - performance.now(), 0);
    const due = wait.isShort ? wait.dueIn(performance.now())! : Infinity;
    await delay(Math.min(pause, left, Math.max(due, 1)));
    // It has ended, as most commands have by now: an inspection would delay the next one.
    if (signal.aborted) return undefined;
    const began = performance.now();
    const now = await inspect();
    pause = Math.max(POLL_MS, (performance.now() - began) * REST_FACTOR);
    wait.note(now, began, printedAt());
    if (wait.asks(performance.now())) {
      if (!await isPrompt(now)) return now;
      wait.reset();
    }
    if (!wait.isShort && performance.now() >= until) return undefined;
  }
  return undefined;
}

export interface CommandQuestion {
  record: CommandRecord;
  /** The shell it was typed to. */
  shell: Pick<SeenShell, "pid" | "inspect">;
  isAtPrompt(): Promise<boolean>;
  screen(): Promise<FollowedScreen>;
}

/** The question of a command's program, once it has waited for a moment; undefined at the deadline. */
export async function untilAsked(
  { record, shell, isAtPrompt, screen }: CommandQuestion,
  limit: Pick<InputWaitOptions, "until" | "signal">,
): Promise<WaitingProgram | undefined> {
  const inspection = await untilWaiting({
    ...limit,
    inspect: () => shell.inspect(),
    printedAt: () => record.output.printedAt,
    isPrompt: async (inspection) =>
      inspection.foregroundPid === shell.pid ? await isAtPrompt() : record.hasInner && isShell(inspection),
  });
  if (!inspection || inspection.inputKind === "none") return undefined;
  return {
    inputKind: inspection.inputKind,
    foregroundCmd: inspection.foregroundCmd,
    prompt: questionOn(await screen(), inspection.inputKind),
  };
}
