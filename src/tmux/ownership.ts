// Marks what this server makes, so that a later call, or a restarted server, knows it for its own.
import type { Command } from "./exec.ts";
import { idKind } from "../ids.ts";
import { sessionWindowTarget } from "./ids.ts";

/** The user option that names the server an object was made by. */
export const OWNER_OPTION = "@tmux_mcp_owner";

/** Mark of others' objects once moved, because in a window or session of ours they would count as ours. */
const OTHERS = "others";

/** Marks a pane, or a window, before it is moved; one that has a mark of its own keeps it. */
export function markMoved(kind: "pane" | "window", target: string): Command {
  return ["set-option", kind === "pane" ? "-p" : "-w", "-oq", "-t", target, OWNER_OPTION, OTHERS];
}

/** Targets of the new objects, each marked for itself. */
export interface NewObjects {
  session?: string;
  window?: string;
  pane?: string;
}

export function markCommands(owner: string, { session, window, pane }: NewObjects): Command[] {
  const mark = [OWNER_OPTION, owner];
  return [
    ...(session === undefined ? [] : [["set-option", "-t", session, ...mark]]),
    ...(window === undefined ? [] : [["set-option", "-w", "-t", window, ...mark]]),
    ...(pane === undefined ? [] : [["set-option", "-p", "-t", pane, ...mark]]),
  ];
}

/** Command that reads an object's own owner mark: a format would fall back to its session's. */
export function ownerCommand(target: string): Command {
  if (idKind(target) === "pane") return ["show-options", "-qv", "-p", "-t", target, OWNER_OPTION];
  if (idKind(target) === "window") return ["show-options", "-qv", "-w", "-t", target, OWNER_OPTION];
  return ["show-options", "-qv", "-t", sessionWindowTarget(target), OWNER_OPTION];
}
