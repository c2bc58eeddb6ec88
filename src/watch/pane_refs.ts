// Finds what a follow must know about its panes before it begins.
import { AppError, notFound } from "../errors.ts";
import { LEASE } from "./commands/remain_on_exit.ts";
import { SERVER_KEY } from "../tmux/server_key.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { delay } from "../timer.ts";
import { signalName } from "../process/signals.ts";
import type { Ending } from "../process/ending.ts";
import type { FollowSpec, PaneRef } from "./protocol.ts";

/** A pane to follow. */
export interface FoundPane extends PaneRef {
  dead: boolean;
  /** How the program of a dead pane ended, as far as that is known. */
  ending: Ending;
  rows: number;
  /** Row of the cursor when the pane was found, from 0. */
  cursorRow: number;
  /** Keys that are typed here go to other panes too. */
  synchronized: boolean;
  /** Pid and start time of its tmux server. */
  serverKey: string;
  /** True if it was created for a program, closes when that ends, and has no lease; known only of panes found by id. */
  holdable?: boolean;
  /** The lease on it; empty without one, absent where it was not asked for. */
  lease?: string;
}

const HOLDABLE = [
  "#{!=:#{pane_start_command},}",
  "#{==:#{remain-on-exit},off}",
  `#{==:#{${LEASE}},}`,
].reduce((all, each) => `#{&&:${all},${each}}`);

const ENDING = { deadStatus: "#{pane_dead_status}", deadSignal: "#{pane_dead_signal}" };

/** A program whose terminal is closed ends within this time. */
const ENDING_TRIES = 5;
const ENDING_PAUSE_MS = 20;

const FIELDS = {
  paneId: "#{pane_id}",
  sessionId: "#{session_id}",
  panePid: "#{pane_pid}",
  columns: "#{pane_width}",
  rows: "#{pane_height}",
  cursorRow: "#{cursor_y}",
  synchronized: "#{&&:#{pane_synchronized},#{!=:#{window_panes},1}}",
  dead: "#{pane_dead}",
  ...ENDING,
  serverKey: SERVER_KEY,
  holdable: HOLDABLE,
  lease: `#{${LEASE}}`,
  tty: "#{pane_tty}",
};

type Row = Record<keyof typeof FIELDS, string>;

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
  return await Promise.all(paneIds.map(async (paneId) => {
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
      ending: row.dead === "1" ? await endingOf(tmux, row) : {},
      serverKey: row.serverKey,
      holdable: row.holdable === "1",
      lease: row.lease,
    };
  }));
}

/**
 * tmux 3.3a does not collect one process in twenty before the next one ends: until then only the kernel knows. A process
 * that is gone by the time it is inspected was collected meanwhile.
 */
async function endingOf(tmux: Tmux, { paneId, ...row }: Row): Promise<Ending> {
  const { codec, machine: { inspector } } = tmux;
  let reported = endingIn(row);
  for (let tries = 0; reported === undefined && tries < ENDING_TRIES; tries++) {
    if (tries > 0) await delay(ENDING_PAUSE_MS);
    const collecting = await inspector.ending?.(Number(row.panePid)) ?? {};
    if (Object.keys(collecting).length > 0) return collecting;
    const text = await tmux.run([["display-message", "-p", "-t", paneId, codec.format(ENDING)]]).catch(() =>
      ""
    );
    const [now] = codec.parse(ENDING, text);
    reported = now && endingIn(now);
  }
  return reported ?? {};
}

function endingIn({ deadStatus, deadSignal }: Record<keyof typeof ENDING, string>): Ending | undefined {
  if (deadSignal !== "") return { exitSignal: signalName(Number(deadSignal)) };
  return deadStatus === "" ? undefined : { exitCode: Number(deadStatus) };
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

/** True if the pane has gone, which makes calls fail in many ways; an error that names the pane says so already. */
export async function isPaneGone(tmux: Tmux, paneId: string, error: unknown): Promise<boolean> {
  if (!(error instanceof AppError) || !/^(tmux-error|not-found|gone|busy)$/.test(error.code)) return false;
  if (error.code === "not-found" && error.message.includes(`"${paneId}"`)) return false;
  return await findPanes(tmux, [paneId]).then(
    ([pane]) => pane!.dead,
    (why) => why instanceof AppError && why.code === "not-found",
  );
}
