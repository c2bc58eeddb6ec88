// A call that is a task, or may become one.
import type { Continuation, TaskCall } from "../../watch/durable/task_call.ts";
import type { Task } from "./task.ts";

export interface RunningCall {
  /** The id that the client gave the request. */
  readonly id: string | number;
  readonly progressToken?: string | number | undefined;
  /** Absent for one that was a task before. */
  readonly timer?: ReturnType<typeof setTimeout>;
  /** The client shows forms. */
  readonly showsForms: boolean;
  task?: Task;
  /** The client is about to get the task. */
  becoming?: Promise<void>;
  keep?: Parameters<TaskCall["continueWith"]>[0];
}

/** Handle that the call's tool gets; `reached` is called where the call is a task already. */
export function taskCall(call: RunningCall, reached: () => void): TaskCall {
  return {
    watched: call.task?.continuation?.watched,
    continueWith: (keep) => {
      call.keep = keep;
      if (call.task) reached();
    },
  };
}

/** Has the call write to disk what another process needs to continue it. */
export async function keptOf({ keep }: RunningCall): Promise<Continuation | undefined> {
  try {
    return await keep?.();
  } catch {
    // Its pane is gone: the call is about to say so.
    return undefined;
  }
}
