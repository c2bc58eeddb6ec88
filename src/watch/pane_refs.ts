// Finds what a follow needs to know about its panes before it begins.
import { AppError, hasCode, notFound } from "../errors.ts";
import { LEASE } from "./remain_on_exit.ts";
import { flag, int, maybeInt, type RowOf } from "../tmux/columns.ts";
import { SERVER_KEY } from "../tmux/server_key.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { pollUntil } from "../timer.ts";
import { bestEffort } from "../promises.ts";
import { deadEnding } from "../process/signals.ts";
import { COLLECT_ENDED, COLLECTING_LOOKS, type Ending, isKnown } from "../process/ending.ts";
import type { FollowSpec, PaneRef } from "./protocol.ts";

export interface FoundPane extends PaneRef {
  dead: boolean;
  /** How the program of a dead pane ended, as far as it is known. */
  ending: Ending;
  rows: number;
  /** Row of the cursor at that time, from 0. */
  cursorRow: number;
  /** True if keys typed here go to other panes too. */
  synchronized: boolean;
  /** True if it was created for a program; set only for panes found by id. */
  forProgram?: boolean;
  /** True if it stays when its program ends, also because of a lease; set only for panes found by id. */
  stays?: boolean;
  /** The lease on it: empty without one, absent if it was not read. */
  lease?: string;
}

const ENDING = { deadStatus: maybeInt("#{pane_dead_status}"), deadSignal: maybeInt("#{pane_dead_signal}") };

/** Time (ms) within which a program whose terminal is closed has ended, also on a busy machine. */
const ENDING_MS = 1000;
const ENDING_PAUSE_MS = 20;

const PANE = {
  paneId: "#{pane_id}",
  sessionId: "#{session_id}",
  sessionName: "#{session_name}",
  panePid: int("#{pane_pid}"),
  columns: int("#{pane_width}"),
  rows: int("#{pane_height}"),
  cursorRow: int("#{cursor_y}"),
  synchronized: flag("#{&&:#{pane_synchronized},#{!=:#{window_panes},1}}"),
  dead: flag("#{pane_dead}"),
  ...ENDING,
  serverKey: SERVER_KEY,
  forProgram: flag("#{!=:#{pane_start_command},}"),
  stays: flag("#{!=:#{remain-on-exit},off}"),
  lease: `#{${LEASE}}`,
  tty: "#{pane_tty}",
};

/**
 * Returns the panes with these ids, each in a session in scope, in one round trip, or a second one if tmux names another.
 * Several are looked up among all panes: a batch has room for the format about 30 times.
 * @throws {AppError} `not-found`
 */
export async function findPanes(tmux: Tmux, paneIds: readonly string[]): Promise<FoundPane[]> {
  const one = paneIds.length === 1 ? await tmux.rows.read(PANE, paneIds[0]!) : undefined;
  // A client attaches to this session, and tmux names the one that was used last.
  const rows = one && tmux.sees(one) ? [one] : await tmux.rows.list(PANE, ["list-panes", "-a"]);
  return await Promise.all(paneIds.map(async (paneId) => {
    const links = rows.filter((candidate) => candidate.paneId === paneId);
    const row = links.find((link) => tmux.sees(link)) ?? links[0];
    if (!row) throw notFound("pane", paneId);
    const { deadStatus: _status, deadSignal: _signal, ...pane } = row;
    return { ...pane, ending: row.dead ? await endingOf(tmux, row) : {} };
  }));
}

/** Returns how a dead pane's program ended. */
async function endingOf(tmux: Tmux, { paneId, ...row }: RowOf<typeof PANE>): Promise<Ending> {
  const { codec, machine: { inspector } } = tmux;
  let ending = deadEnding(row.deadStatus, row.deadSignal);
  if (isKnown(ending)) return ending;
  await bestEffort(tmux.run([COLLECT_ENDED]));
  let looksAfterEnd = 0;
  await pollUntil(async () => {
    const kernelEnding = await inspector.ending?.(row.panePid);
    // A host's kernel isn't asked.
    if (kernelEnding || !inspector.ending) looksAfterEnd++;
    ending = kernelEnding ?? {};
    if (isKnown(ending)) return true;
    const text = await tmux.run([["display-message", "-p", "-t", paneId, codec.format(ENDING)]]).catch(() =>
      ""
    );
    const [latest] = codec.parse(ENDING, text);
    ending = deadEnding(latest?.deadStatus, latest?.deadSignal);
    return isKnown(ending) || looksAfterEnd === COLLECTING_LOOKS;
  }, { ms: ENDING_MS, pauseMs: ENDING_PAUSE_MS });
  return ending;
}

/** Returns the message that starts a follow of these panes. */
export function followSpec(
  tmux: Tmux,
  panes: readonly FoundPane[],
  part: Partial<FollowSpec> & Pick<FollowSpec, "triggers">,
): FollowSpec {
  return {
    server: tmux.target,
    panes: panes.map(({ paneId, sessionId, panePid, tty, columns, serverKey }) => ({
      paneId,
      sessionId,
      panePid,
      tty,
      columns,
      serverKey,
    })),
    errorPattern: "",
    errorIgnorePattern: "",
    stream: false,
    lingerMs: 0,
    ...part,
  };
}

/** Returns a follow that passes on all output of a pane and has no triggers. */
export function streamOf(tmux: Tmux, pane: FoundPane, lingerMs = 0): FollowSpec {
  return followSpec(tmux, [pane], { triggers: [], stream: true, lingerMs });
}

/** True if a pane that was there has gone, which makes calls fail in many ways. */
export async function isPaneGone(tmux: Tmux, paneId: string, error: unknown): Promise<boolean> {
  if (!(error instanceof AppError) || !/^(tmux-error|not-found|gone|busy)$/.test(error.code)) return false;
  if (error.code === "not-found" && error.message.includes(`"${paneId}"`)) return true;
  return await findPanes(tmux, [paneId]).then(([pane]) => pane!.dead, (why) => hasCode(why, "not-found"));
}
