// Keeps calls from ending the pane that this server runs in, or typing into it.
import { AppError } from "../errors.ts";
import type { CallerPlace } from "../tmux/caller.ts";
import type { ResolvedTarget } from "./resolved_target.ts";

/** The error for typing into a pane that shows our own tmux: the keys would reach our own pane, or a tmux prompt. */
export function ownServerDenial(verb: string, { name }: ResolvedTarget): AppError {
  return new AppError("denied", `Cannot ${verb} ${name}: it shows the tmux that this server runs in`, {
    hint: "Use the panes of that tmux, or another pane",
  });
}

/** @throws {AppError} `denied` if the target contains the pane that this server runs in, in every tier */
export function checkOwnPane(verb: string, resolved: ResolvedTarget, caller: CallerPlace): void {
  const whole = resolved.kind === "server" || resolved.kind === "session";
  if (caller.kind === "pane" && resolved.rows.some(({ paneId }) => paneId === caller.paneId)) {
    const which = resolved.kind === "pane"
      ? "it runs this server"
      : `pane "${caller.paneId}" in it runs this server`;
    throw new AppError("denied", `Cannot ${verb} ${resolved.name}: ${which}`, {
      hint: "Use another pane: list-panes marks this server's own with isCaller",
    });
  }
  if (caller.kind === "unknown" && whole) {
    const what = `Cannot ${verb} ${resolved.name}: it may contain the pane that runs this server`;
    throw new AppError("denied", what, { hint: "Kill single panes instead" });
  }
}
