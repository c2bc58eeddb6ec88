// Keeps the rest of a text out of a pane that has changed since the call that types it was allowed.
import { AppError } from "../../errors.ts";
import type { Command } from "../../tmux_exec/exec.ts";
import { failIf } from "../conditions.ts";

const REFUSAL = "pane-changed";

/** Changes by name, each with the code and the reason of the error. */
const CHANGES = {
  ended: { code: "gone", why: "its program has ended" },
  off: { code: "busy", why: "its input is off" },
  together: { code: "busy", why: "what is typed there reaches other panes now" },
} as const;

/** A pane as it was when the call was allowed. */
interface TypedPane {
  paneId: string;
  pid: number;
  synchronized: boolean;
}

/** Returns a command that fails unless what is typed still reaches the same program, and no other. */
export function refuseChanged({ paneId, pid, synchronized }: TypedPane): Command {
  const refusal = (change: keyof typeof CHANGES): string => `${REFUSAL} ${paneId} ${change}`;
  return failIf(
    paneId,
    [`#{||:#{pane_dead},#{!=:#{pane_pid},${pid}}}`, refusal("ended")],
    ["pane_input_off", refusal("off")],
    [synchronized ? "0" : "pane_synchronized", refusal("together")],
  );
}

/** Returns the error for a message of tmux that `refuseChanged` caused; undefined for any other message. */
export function findChangeFailure(message: string): AppError | undefined {
  const [, paneId, change] = new RegExp(`${REFUSAL} (%\\d+) (\\w+)`).exec(message) ?? [];
  if (paneId === undefined) return undefined;
  const { code, why } = CHANGES[change as keyof typeof CHANGES];
  return new AppError(code, `Cannot type into pane "${paneId}": ${why}`, { hint: "Use another pane" });
}
