// Looks up what a follow must know about its panes before it begins.
import { notFound } from "../errors.ts";
import { LEASE } from "./commands/remain_on_exit.ts";
import { SERVER_KEY } from "../tmux/server_key.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { signalName } from "../process/signals.ts";
import type { Ending } from "../process/ending.ts";
import type { FollowSpec, PaneRef } from "./protocol.ts";

/** A pane to follow; a dead one says how it ended. */
export interface FoundPane extends PaneRef {
  dead: boolean;
  deadStatus?: number;
  /** tmux's number. */
  deadSignal?: number;
  rows: number;
  /** Row of the cursor when the pane was found, from 0. */
  cursorRow: number;
  /** Keys that are typed here go to other panes too. */
  synchronized: boolean;
  /** Pid and start time of its tmux server. */
  serverKey: string;
  /** True if it was created for a program, closes when that ends, and has no lease; known only of panes found by id. */
  holdable?: boolean;
}

const HOLDABLE = [
  "#{!=:#{pane_start_command},}",
  "#{==:#{remain-on-exit},off}",
  `#{==:#{${LEASE}},}`,
].reduce((all, each) => `#{&&:${all},${each}}`);

const FIELDS = {
  paneId: "#{pane_id}",
  sessionId: "#{session_id}",
  panePid: "#{pane_pid}",
  columns: "#{pane_width}",
  rows: "#{pane_height}",
  cursorRow: "#{cursor_y}",
  synchronized: "#{&&:#{pane_synchronized},#{!=:#{window_panes},1}}",
  dead: "#{pane_dead}",
  deadStatus: "#{pane_dead_status}",
  deadSignal: "#{pane_dead_signal}",
  serverKey: SERVER_KEY,
  holdable: HOLDABLE,
  tty: "#{pane_tty}",
};

/**
 * The panes with these ids, in one round trip.
 * @throws {AppError} `not-found`
 */
export async function findPanes(tmux: Tmux, paneIds: readonly string[]): Promise<FoundPane[]> {
  const text = await tmux.run(paneIds.flatMap((paneId) => [
    ["has-session", "-t", paneId],
    ["display-message", "-p", "-t", paneId, tmux.codec.format(FIELDS)],
  ]));
  const rows = tmux.codec.parse(FIELDS, text);
  return paneIds.map((paneId) => {
    const row = rows.find((candidate) => candidate.paneId === paneId);
    if (!row) throw notFound("pane", paneId);
    return {
      paneId,
      sessionId: row.sessionId,
      panePid: Number(row.panePid),
      tty: row.tty,
      columns: Number(row.columns),
      rows: Number(row.rows),
      cursorRow: Number(row.cursorRow),
      synchronized: row.synchronized === "1",
      dead: row.dead === "1",
      serverKey: row.serverKey,
      holdable: row.holdable === "1",
      ...(row.deadStatus === "" ? {} : { deadStatus: Number(row.deadStatus) }),
      ...(row.deadSignal === "" ? {} : { deadSignal: Number(row.deadSignal) }),
    };
  });
}

/** Ending of a dead pane's program; tmux can know it is dead before it knows how. */
export function endingOf({ deadStatus, deadSignal }: FoundPane): Ending {
  if (deadSignal !== undefined) return { exitSignal: signalName(deadSignal) };
  return deadStatus === undefined ? {} : { exitCode: deadStatus };
}

/** A follow that passes on all output of a pane and has no triggers. */
export function streamOf(tmux: Tmux, pane: FoundPane, lingerMs = 0): FollowSpec {
  return {
    server: tmux.target,
    panes: [pane],
    triggers: [],
    errorPattern: "",
    errorIgnorePattern: "",
    stream: true,
    lingerMs,
  };
}
