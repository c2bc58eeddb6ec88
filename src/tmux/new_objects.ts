// Prepares a new session, window or pane before its ids are returned.
import { AppError } from "../errors.ts";
import type { Command } from "./exec.ts";
import { markCommands, type NewObjects } from "./ownership.ts";
import type { TmuxGateway } from "./gateway.ts";
import { isAtLeast } from "./version.ts";

/** A window that nobody looks at yet, and the size it was asked for. */
export interface DetachedWindow {
  windowId: string;
  width: number;
  height: number;
  /** The version of its tmux server. */
  version: string;
}

/** Marks what was made; the pane leaves the mode in which tmux shows errors in the user's configuration. */
export function settleCommands(owner: string, made: NewObjects): Command[] {
  const { pane } = made;
  const leave = pane === undefined ? [] : [["copy-mode", "-q", "-t", pane]];
  return [...markCommands(owner, made), ...leave];
}

/** An object whose command has already ended is gone and needs nothing. */
export async function settle(tmux: TmuxGateway, made: NewObjects, window?: DetachedWindow): Promise<void> {
  const commands = [
    ...(window === undefined ? [] : sizeCommands(window)),
    ...settleCommands(tmux.owner, made),
  ];
  if (commands.length === 0) return;
  try {
    await tmux.run(commands);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "not-found") throw error;
  }
}

/**
 * tmux 3.2 gives a new window the size of the client that asks for it, 80x24 where that has no terminal, instead of
 * the session's. A size set by hand would stay when somebody attaches.
 */
function sizeCommands({ windowId, width, height, version }: DetachedWindow): Command[] {
  if (isAtLeast(version, 3, 3)) return [];
  return [
    ["resize-window", "-t", windowId, "-x", `${width}`, "-y", `${height}`],
    ["set-option", "-wu", "-t", windowId, "window-size"],
  ];
}
