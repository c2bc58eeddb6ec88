// Marks what this server creates, so that a later call or a restarted server recognizes it.
import type { Command } from "../tmux_exec/exec.ts";
import { idKind } from "../ids.ts";

/** User option that names the server which created an object. */
export const OWNER_OPTION = "@tmux_mcp_owner";

/** Beginning of the option's value on all that servers of this program create. */
const PROGRAM = "tmux-mcp:";

/** Value of the option on what a server with this instance name creates. */
export function ownerValue(instance: string): string {
  return PROGRAM + instance;
}

/** True for what a server of this program has created, whatever its instance name. */
export function isByProgram(owner: string | undefined): boolean {
  return owner?.startsWith(PROGRAM) === true;
}

/** Owner of objects of others that are moved: in a window or session of ours they would otherwise count as ours. */
const OTHERS = "others";

/** Returns the command that marks a pane or window before it is moved; an existing owner stays. */
export function markMoved(kind: "pane" | "window", target: string): Command {
  return ["set-option", kind === "pane" ? "-p" : "-w", "-oq", "-t", target, OWNER_OPTION, OTHERS];
}

/** Returns the command that names the owner of a pane, which has one, as that of the new window it is in. */
export function ownWindow(paneId: string): Command {
  return ["set-option", "-wF", "-t", paneId, OWNER_OPTION, `#{${OWNER_OPTION}}`];
}

/** Targets of the new objects, each of which is marked. */
export interface NewObjects {
  session?: string;
  window?: string;
  pane?: string;
}

/** Returns the commands that name `owner` as the owner of each new object. */
export function ownerCommands(owner: string, { session, window, pane }: NewObjects): Command[] {
  const option = [OWNER_OPTION, owner];
  return [
    ...(session === undefined ? [] : [["set-option", "-t", session, ...option]]),
    ...(window === undefined ? [] : [["set-option", "-w", "-t", window, ...option]]),
    ...(pane === undefined ? [] : [["set-option", "-p", "-t", pane, ...option]]),
  ];
}

/** A session by id or name, a window or a pane by id. A session can be named `@1`, so an id does not tell the kind. */
export interface Owned {
  kind: "session" | "window" | "pane";
  id: string;
}

/** Target of a session: its id, or its name after tmux's `=`. Without the colon, a name would be a window's to tmux. */
function sessionTarget(session: string): string {
  return `${idKind(session) === "session" ? session : `=${session}`}:`;
}

/** Returns the command that reads an object's own owner; a format would fall back to the owner of its session. */
export function ownerCommand({ kind, id }: Owned): Command {
  if (kind === "session") return ["show-options", "-qv", "-t", sessionTarget(id), OWNER_OPTION];
  return ["show-options", "-qv", kind === "pane" ? "-p" : "-w", "-t", id, OWNER_OPTION];
}

export function ownerKey({ kind, id }: Owned): string {
  return `${kind} ${id}`;
}
