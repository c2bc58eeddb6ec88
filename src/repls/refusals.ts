// Errors of run-in-repl: the program, its pane or its host can't take the input.
import { AppError, isOutOfReach } from "../errors.ts";
import { type PaneInspection, readerOf } from "../process/probe.ts";
import { isBlind } from "../process/unseen.ts";
import type { Tmux } from "../tmux/tmux.ts";

/** Returns the error for a host that went out of reach: as the input may be typed, the same call must not be repeated. */
export function lost(error: unknown, { machine: { host } }: Tmux): unknown {
  if (host === undefined || !isOutOfReach(error)) return error;
  return new AppError("gone", error.message, {
    hint: "Check the state there before calling again: the input may have been typed",
  });
}

/** @throws {AppError} `busy` if other panes would receive the same input */
export function checkAlone(others: readonly string[], paneId: string): void {
  if (others.length === 0) return;
  const what = `Cannot type into pane "${paneId}" alone: ${others.join(", ")} would receive the same input`;
  throw new AppError("busy", what, { hint: "Call set-synchronize-panes with enabled: false first" });
}

export function atShell(paneId: string, { foregroundCmd }: PaneInspection): AppError {
  const reason = `${foregroundCmd} is at its prompt, and would run the input as a command`;
  return new AppError("invalid-argument", `Cannot use pane "${paneId}" as a REPL: ${reason}`, {
    hint: "Call execute-command to run a command there; give allowShell: true to type it anyway",
  });
}

export function inputBegun(paneId: string): AppError {
  return new AppError("busy", `Cannot type into pane "${paneId}": there is text typed after its prompt`, {
    hint: "Check it with capture-pane; wait for the person, or send it or clear it with send-keys",
  });
}

export function alreadyRunning(paneId: string): AppError {
  return new AppError("busy", `Another run-in-repl is running in pane "${paneId}"`, {
    hint: "Wait for its result",
  });
}

export function gone(paneId: string): AppError {
  return new AppError("gone", `Cannot type into pane "${paneId}": its program has ended`, {
    hint: "Call respawn-pane to start it again, or use another pane",
  });
}

/** Returns the error for a program that has ended in a pane that is still there. */
export function ended(paneId: string, before: PaneInspection): AppError {
  const what = `Cannot type into pane "${paneId}": ${readerOf(before).name} has ended`;
  return new AppError("gone", what, { hint: "Call pane-state for what runs there now" });
}

export function takesNoInput(paneId: string, inspection: PaneInspection, patterned: boolean): AppError {
  if (isBlind(inspection) && !patterned) {
    const what = `Cannot tell whether pane "${paneId}" waits for input (${inspection.evidence})`;
    return new AppError("unsupported", what, { hint: "Set promptPattern" });
  }
  const what = `Cannot type into pane "${paneId}": ${inspection.foregroundCmd} is not waiting for input`;
  return new AppError("busy", what, {
    hint: "Wait with watch-pane for user_input, interrupt it with send-cancel, or use send-keys",
  });
}
