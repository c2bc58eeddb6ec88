// A call that is a task, or may become one.
import type { Continuation, TaskCall } from "../../durable/task_call.ts";
import { within } from "../../timer.ts";
import type { Task } from "./task.ts";

export interface RunningCall {
  /** The id that the client gave the request. */
  readonly id: string | number;
  readonly progressToken?: string | number | undefined;
  /** Timer after which the call becomes a task; absent for one that already was a task. */
  readonly timer?: ReturnType<typeof setTimeout>;
  readonly showsForms: boolean;
  task?: Task;
  /** Set while the task is being sent to the client. */
  becoming?: Promise<void>;
  /** Resolves once another process can continue the call; absent if none ever can. */
  readonly continuable?: PromiseWithResolvers<void> | undefined;
  keep?: Parameters<TaskCall["continueWith"]>[0];
}

/** Longest time (ms) by which a call becomes a task later, until another process can continue it. */
const CONTINUABLE_MS = 5000;

/** Handle for the call's tool. `reached` is called when another process can continue a call that is a task. */
export function taskCall(call: RunningCall, reached: () => void): TaskCall {
  return {
    watched: call.task?.continuation?.watched,
    continueWith: (keep) => {
      call.keep = keep;
      call.continuable?.resolve();
      if (call.task) reached();
    },
  };
}

/**
 * Makes the call write the data to disk that another process needs to continue it, and returns that. A shell that is
 * still starting delays it.
 */
export async function keepContinuation(call: RunningCall): Promise<Continuation | undefined> {
  await within(call.continuable?.promise ?? Promise.resolve(), { ms: CONTINUABLE_MS });
  try {
    return await call.keep?.();
  } catch {
    // The pane is gone, which the call is about to report.
    return undefined;
  }
}
