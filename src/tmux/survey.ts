// The lay of the land: every session, window and pane of a server from one moment, for decisions.
import type { ExecOptions } from "./exec.ts";
import type { Tmux } from "./tmux.ts";

export interface PaneFacts {
  paneId: string;
  windowId: string;
  windowIndex: number;
  sessionId: string;
  sessionName: string;
  pid: number;
  tty: string;
  dead: boolean;
  inMode: boolean;
  synchronized: boolean;
  inputOff: boolean;
  /** False for a pane that another, zoomed one of its window hides. */
  visible: boolean;
}

/** One row per link: a pane of a window linked into two sessions stands there twice. */
export interface Survey {
  /** Pid and start time of the tmux server; ids of one server mean nothing on another. */
  serverKey: string;
  /** The tmux server's version, such as `3.3a`. */
  version: string;
  panes: PaneFacts[];
}

const FIELDS = {
  paneId: "#{pane_id}",
  windowId: "#{window_id}",
  windowIndex: "#{window_index}",
  sessionId: "#{session_id}",
  pid: "#{pane_pid}",
  tty: "#{pane_tty}",
  dead: "#{pane_dead}",
  inMode: "#{pane_in_mode}",
  synchronized: "#{pane_synchronized}",
  inputOff: "#{pane_input_off}",
  visible: "#{?window_zoomed_flag,#{pane_active},1}",
  serverKey: "#{pid}-#{start_time}",
  version: "#{version}",
  sessionName: "#{session_name}",
};

export async function surveyServer(tmux: Tmux, options: ExecOptions): Promise<Survey> {
  const rows = await tmux.list(FIELDS, ["list-panes", "-a"], options);
  return {
    serverKey: rows[0]?.serverKey ?? "",
    version: rows[0]?.version ?? "",
    panes: rows.map((row) => ({
      paneId: row.paneId,
      windowId: row.windowId,
      windowIndex: Number(row.windowIndex),
      sessionId: row.sessionId,
      sessionName: row.sessionName,
      pid: Number(row.pid),
      tty: row.tty,
      dead: row.dead === "1",
      inMode: row.inMode !== "0",
      synchronized: row.synchronized === "1",
      inputOff: row.inputOff === "1",
      visible: row.visible === "1",
    })),
  };
}
