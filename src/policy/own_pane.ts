// Keeps calls from ending the pane this server runs in, or typing into it.
import { AppError } from "../errors.ts";
import type { CallerPlace } from "../tmux/caller.ts";
import type { Aim } from "./aims.ts";

/** Keys that go to a client of this server's own tmux reach its own pane, or a prompt of tmux. */
export function showsOwnServer(verb: string, { name }: Aim): AppError {
  return new AppError("denied", `Cannot ${verb} ${name}: it shows the tmux that this server runs in`, {
    hint: "Use the panes of that tmux, or another pane",
  });
}

/** @throws {AppError} `denied` where the aim holds the pane this server runs in, whatever the tier. */
export function checkOwnPane(verb: string, aim: Aim, caller: CallerPlace): void {
  const whole = aim.kind === "server" || aim.kind === "session";
  if (caller.kind === "pane" && aim.rows.some(({ paneId }) => paneId === caller.paneId)) {
    const which = aim.kind === "pane"
      ? "it runs this server"
      : `pane "${caller.paneId}" in it runs this server`;
    throw new AppError("denied", `Cannot ${verb} ${aim.name}: ${which}`, {
      hint: "Use another pane: list-panes marks this server's own with isCaller",
    });
  }
  if (caller.kind === "unknown" && whole) {
    throw new AppError("denied", `Cannot ${verb} ${aim.name}: it may hold the pane that runs this server`, {
      hint: "Kill single panes instead",
    });
  }
}
