// A call that is a task, or may become one.
import type { Continuation, TaskCall } from "../../watch/durable/task_call.ts";
import type { Task } from "./task.ts";

export interface RunningCall {
  /** The id that the client gave the request. */
  readonly id: string | number;
  readonly progressToken?: string | number | undefined;
  /** Timer after which the call becomes a task; absent for one that already was a task. */
  readonly timer?: ReturnType<typeof setTimeout>;
  /** True if the client shows forms. */
  readonly showsForms: boolean;
  task?: Task;
  /** Set while the task is being sent to the client. */
  becoming?: Promise<void>;
  keep?: Parameters<TaskCall["continueWith"]>[0];
}

/**
 * Handle for the call's tool. `reached` is called when a call that already is a task can be continued by
 * another process.
 */
export function taskCall(call: RunningCall, reached: () => void): TaskCall {
  return {
    watched: call.task?.continuation?.watched,
    continueWith: (keep) => {
      call.keep = keep;
      if (call.task) reached();
    },
  };
}

/** Makes the call write the data to disk that another process needs to continue it, and returns that. */
export async function keptOf({ keep }: RunningCall): Promise<Continuation | undefined> {
  try {
    return await keep?.();
  } catch {
    // The pane is gone, which the call is about to report.
    return undefined;
  }
}
