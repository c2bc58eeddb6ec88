// Prepares a new session, window or pane before its ids are returned.
import { hasCode } from "../errors.ts";
import type { Command } from "../tmux_exec/exec.ts";
import { type NewObjects, ownerCommands } from "./ownership.ts";
import type { TmuxGateway } from "./gateway.ts";
import { ifTrue } from "./conditions.ts";
import { isAtLeast } from "../tmux_exec/version.ts";

/** A window that nobody looks at yet, and its requested size. */
export interface DetachedWindow {
  windowId: string;
  width: number;
  height: number;
  /** Version of its tmux server. */
  version: string;
}

/** Commands that mark what was created, and end the mode in which tmux shows configuration errors in the new pane. */
function settleCommands(owner: string, made: NewObjects): Command[] {
  const { pane } = made;
  const leave = pane === undefined ? [] : [["copy-mode", "-q", "-t", pane]];
  return [...ownerCommands(owner, made), ...leave];
}

/** Prepares new objects. One whose command has already ended is gone and needs nothing. */
export async function settle(tmux: TmuxGateway, made: NewObjects, window?: DetachedWindow): Promise<void> {
  const hasNoSize = window !== undefined && !isAtLeast(window.version, 3, 3);
  const commands = [
    ...(hasNoSize ? resizing(window.windowId, window.width, window.height) : []),
    ...settleCommands(tmux.owner, made),
  ];
  if (commands.length === 0) return;
  try {
    await tmux.run(commands);
  } catch (error) {
    if (!hasCode(error, "not-found")) throw error;
  }
}

/**
 * Returns the command that gives a new session's window its size on tmux 3.2. It runs in the batch that creates the
 * session, before tmux reads what the program prints: a row that had to wrap again could scroll away. The window is the
 * session's first one: a hook may have opened another, which is the current one then.
 * `:` is the session used last, which is the new one: its name twice in a nested command may be longer than tmux takes.
 */
export function sizeNewSession(width: number, height: number): Command {
  return ifTrue(":", "#{m:3.2*,#{version}}", { then: resizing(":^", width, height) });
}

/**
 * Commands that fix the size of a new window. tmux 3.2 gives it the size of the client that creates it (80x24 if that
 * has no terminal) instead of the session's. The option is unset afterwards: a size that was set by hand would stay
 * when somebody attaches.
 */
function resizing(target: string, width: number, height: number): Command[] {
  return [
    ["resize-window", "-t", target, "-x", `${width}`, "-y", `${height}`],
    ["set-option", "-wu", "-t", target, "window-size"],
  ];
}
