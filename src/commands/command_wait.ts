// A caller's wait for a command. Nothing of it is left on the command, which may run for weeks and be asked about often.
import type { WaitingProgram } from "../watch/handed_over.ts";
import type { CommandState } from "./command_state.ts";
import type { Latch } from "./latch.ts";
import { delay, LONGEST_MS, msUntil, timerMs } from "../timer.ts";

export interface CommandWait {
  seconds: number;
  /** `return`: the wait also ends when the program waits for the terminal. */
  onInput: "return" | "wait";
  signal: AbortSignal;
}

interface AwaitedCommand {
  readonly state: CommandState["name"];
  readonly untilWaiting:
    | ((until: number, signal: AbortSignal) => Promise<WaitingProgram | undefined>)
    | undefined;
}

/**
 * Waits until one of the command's `ends` comes, time is up, or its program waits for the terminal. Returns the waiting
 * program, if any.
 */
export async function waitForCommand(
  command: AwaitedCommand,
  ends: readonly Latch[],
  { seconds, onInput, signal }: CommandWait,
): Promise<WaitingProgram | undefined> {
  const done = new AbortController();
  const either = AbortSignal.any([done.signal, signal]);
  const until = performance.now() + timerMs(seconds);
  const untilWaiting = onInput === "return" ? command.untilWaiting : undefined;
  const pause = async (ms: number): Promise<undefined> => void await delay(ms, either);
  const timeUp = (): Promise<undefined> => pause(msUntil(until));
  // A machine that can no longer be reached can't report that the program waits.
  const inputOrTimeout = untilWaiting ? untilWaiting(until, either).catch(timeUp) : timeUp();
  const { promise: ended, resolve: end } = Promise.withResolvers<undefined>();
  const withdrawals = ends.map((latch) => latch.onOpen(() => end(undefined)));
  const waiting = await Promise.race([ended, inputOrTimeout, pause(LONGEST_MS)])
    // After mark D the shell is what waits, while the last of the output is read.
    .then((program) => program && command.state === "ending" ? Promise.race([ended, timeUp()]) : program)
    .finally(() => {
      done.abort();
      for (const withdraw of withdrawals) withdraw();
    });
  signal.throwIfAborted();
  return waiting;
}
