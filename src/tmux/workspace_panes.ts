// Panes that were created from a workspace, and the option by which a later call finds them.
import type { Command } from "../tmux_exec/exec.ts";
import { flag } from "./columns.ts";
import { claimPane, WORKSPACE_OPTION } from "./pane_claims.ts";
import type { Tmux } from "./tmux.ts";

/** Place of a pane in its workspace. */
export interface WorkspacePlace {
  /** Key of its window: the number of windows with the same name before it, and the name. */
  window: string;
  /** Number of the pane in its window, from 0. */
  pane: number;
  /** Time of its creation (epoch ms). */
  since: number;
  /** Number of its lines that were typed, if the call that typed them was cut short. */
  typed?: number | undefined;
}

export interface WorkspacePane {
  paneId: string;
  windowId: string;
  windowName: string;
  dead: boolean;
  /** Undefined for a pane that was not created from a workspace. */
  place: WorkspacePlace | undefined;
}

const PANE = {
  paneId: "#{pane_id}",
  windowId: "#{window_id}",
  windowName: "#{window_name}",
  dead: flag("#{pane_dead}"),
  place: { format: `#{${WORKSPACE_OPTION}}`, read: parsePlace },
};

/** Returns the panes of a session given by id, in the order of its windows. */
export async function listWorkspacePanes(tmux: Tmux, sessionId: string): Promise<WorkspacePane[]> {
  return await tmux.rows.list(PANE, ["list-panes", "-s", "-t", `${sessionId}:`]);
}

/**
 * Gives a new pane its place, unless the session has another one for the same place. `isFirst`: the pane is the first of
 * a new window, so one for any place of that window counts: of two calls that create a window, one would get its first
 * pane and the other its second. Returns true if it has the place.
 */
export async function claimPlace(
  tmux: Tmux,
  { paneId, isFirst }: { paneId: string; isFirst: boolean },
  { window, pane, since }: WorkspacePlace,
): Promise<boolean> {
  const place = isFirst ? window : `${window}/${pane}`;
  const taken = `#{m:*1*,#{W:#{P:#{m:${place}/*,#{${WORKSPACE_OPTION}}}}}}`;
  return await claimPane(tmux, paneId, { taken, options: [placeCommand(paneId, { window, pane, since })] });
}

/** Takes over a pane that lacks lines. Returns false if another call has done so. */
export async function resumePlace(tmux: Tmux, paneId: string, place: WorkspacePlace): Promise<boolean> {
  const taken = `#{!=:#{${WORKSPACE_OPTION}},${spell(place)}}`;
  return await claimPane(tmux, paneId, {
    taken,
    options: [placeCommand(paneId, { ...place, typed: undefined })],
  });
}

/** Notes in a pane's place how many of its lines were typed, for a later call to type the others. */
export async function leavePlace(tmux: Tmux, paneId: string, typed: number): Promise<void> {
  const place = `#{${WORKSPACE_OPTION}}/${typed}`;
  await tmux.runUntilMissing([
    ["has-session", "-t", paneId],
    ["set-option", "-pF", "-t", paneId, WORKSPACE_OPTION, place],
  ]);
}

function placeCommand(paneId: string, place: WorkspacePlace): Command {
  return ["set-option", "-p", "-t", paneId, WORKSPACE_OPTION, spell(place)];
}

function spell({ window, pane, since, typed }: WorkspacePlace): string {
  return [window, pane, since, ...(typed === undefined ? [] : [typed])].join("/");
}

/** Key of a window in places; it has no characters with a meaning in tmux formats. */
export function windowKey(name: string, nth: number): string {
  return `${nth}-${new TextEncoder().encode(name).toHex()}`;
}

/** Reads a place, defensively: a person can write anything into an option. */
function parsePlace(text: string): WorkspacePlace | undefined {
  const [, window, pane, since, typed] = /^(\d+-[0-9a-f]*)\/(\d+)\/(\d+)(?:\/(\d+))?$/.exec(text) ?? [];
  if (window === undefined) return undefined;
  return { window, pane: Number(pane), since: Number(since), ...(typed && { typed: Number(typed) }) };
}
