// Panes: listing, splitting, sizing, ending.
import { sessionWindowTarget } from "./ids.ts";
import type { Tmux } from "./tmux.ts";

export interface Pane {
  id: string;
  title: string;
  index: number;
  active: boolean;
  width: number;
  height: number;
  currentCommand: string;
  currentPath: string;
  pid: number;
  windowId: string;
  sessionId: string;
}

/** Which panes a listing takes in; neither means all. */
export interface PaneScope {
  windowId?: string | undefined;
  sessionId?: string | undefined;
}

const PANE = {
  id: "#{pane_id}",
  index: "#{pane_index}",
  active: "#{pane_active}",
  width: "#{pane_width}",
  height: "#{pane_height}",
  pid: "#{pane_pid}",
  windowId: "#{window_id}",
  sessionId: "#{session_id}",
  title: "#{pane_title}",
  currentCommand: "#{pane_current_command}",
  currentPath: "#{pane_current_path}",
};

export class Panes {
  readonly #tmux: Tmux;

  constructor(tmux: Tmux) {
    this.#tmux = tmux;
  }

  /** The panes of a window, of a session, or all; a pane of a linked window is listed once. */
  async list(where: PaneScope = {}): Promise<Pane[]> {
    const rows = await this.#tmux.list(PANE, ["list-panes", ...scopeOf(where)]);
    const seen = new Set<string>();
    return rows.filter((row) => !seen.has(row.id) && seen.add(row.id)).map((row) => ({
      ...row,
      index: Number(row.index),
      active: row.active === "1",
      width: Number(row.width),
      height: Number(row.height),
      pid: Number(row.pid),
    }));
  }

  async kill(paneId: string): Promise<void> {
    await this.#tmux.run([["has-session", "-t", paneId], ["kill-pane", "-t", paneId]]);
  }
}

function scopeOf(where: PaneScope): string[] {
  if (where.windowId !== undefined) return ["-t", where.windowId];
  if (where.sessionId !== undefined) return ["-s", "-t", sessionWindowTarget(where.sessionId)];
  return ["-a"];
}
