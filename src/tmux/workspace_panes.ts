// Panes that were created from a workspace, and the option by which a later call finds them.
import type { Command } from "../tmux_exec/exec.ts";
import { flag, type RowOf } from "./columns.ts";
import { claimPane, WORKSPACE_OPTION } from "./pane_claims.ts";
import { literal } from "./row_codec.ts";
import type { Tmux } from "./tmux.ts";

export interface WorkspacePlace {
  /** Key of its window: the number of windows with the same name before it, and the name. */
  window: string;
  /** Number of the pane in its window, from 0. */
  pane: number;
  /** Time of its creation (epoch ms). */
  since: number;
  /** Number of its lines that were typed, until the call that types them has finished the pane's window. */
  typed?: number | undefined;
  /** Stamp of the process that types the others; undefined if they are left to a later call. */
  by?: string | undefined;
}

/** A place as an option has it: window, pane, time of creation, and perhaps lines and process. */
const PLACE = /^(\d+-[0-9a-f]*)\/(\d+)\/(\d+)(?:\/(\d+)(?:\/([\w@:[\]. -]+))?)?$/;

const PANE = {
  paneId: "#{pane_id}",
  windowId: "#{window_id}",
  windowName: "#{window_name}",
  dead: flag("#{pane_dead}"),
  /** Undefined for a pane that was not created from a workspace. */
  place: { format: `#{${WORKSPACE_OPTION}}`, read: parsePlace },
};

export type WorkspacePane = RowOf<typeof PANE>;

/** Returns the panes of a session given by id, in the order of its windows. */
export async function listWorkspacePanes(tmux: Tmux, sessionId: string): Promise<WorkspacePane[]> {
  return await tmux.rows.list(PANE, ["list-panes", "-s", "-t", `${sessionId}:`]);
}

/**
 * Gives a new pane its place, unless the session has another one for the same place. `isFirst`: the pane is the first of
 * a new window, so one for any place of that window counts: of two calls that create a window, one would get its first
 * pane and the other its second. With the place its window gets its name. Returns true if it has the place.
 */
export async function claimPlace(
  tmux: Tmux,
  { paneId, isFirst, windowName }: { paneId: string; isFirst: boolean; windowName?: string | undefined },
  place: WorkspacePlace,
): Promise<boolean> {
  const key = isFirst ? place.window : `${place.window}/${place.pane}`;
  const taken = `#{m:*1*,#{W:#{P:#{m:${key}/*,#{${WORKSPACE_OPTION}}}}}}`;
  const options = [placeCommand(paneId, place)];
  if (windowName !== undefined) options.push(["rename-window", "-t", paneId, "--", literal(windowName)]);
  return await claimPane(tmux, paneId, { taken, options });
}

/** Takes over a pane that lacks lines. Returns false if another call has done so. */
export async function resumePlace(
  tmux: Tmux,
  paneId: string,
  { found, resumed }: Record<"found" | "resumed", WorkspacePlace>,
): Promise<boolean> {
  const taken = `#{!=:#{${WORKSPACE_OPTION}},${serialize(found)}}`;
  return await claimPane(tmux, paneId, { taken, options: [placeCommand(paneId, resumed)] });
}

/** Changes what the place of a pane says of its lines, unless the pane has ended. */
export async function changePlace(tmux: Tmux, paneId: string, place: WorkspacePlace): Promise<void> {
  await tmux.runUntilMissing([["has-session", "-t", paneId], placeCommand(paneId, place)]);
}

export function placeCommand(paneId: string, place: WorkspacePlace): Command {
  return ["set-option", "-p", "-t", paneId, WORKSPACE_OPTION, serialize(place)];
}

function serialize({ window, pane, since, typed, by }: WorkspacePlace): string {
  return [window, pane, since, typed, by].filter((each) => each !== undefined).join("/");
}

/** Key of a window in places; it has no characters with a meaning in tmux formats. */
export function windowKey(name: string, nth: number): string {
  return `${nth}-${new TextEncoder().encode(name).toHex()}`;
}

/** Reads a place, defensively: a person can write anything into an option. */
function parsePlace(text: string): WorkspacePlace | undefined {
  const [, window, pane, since, typed, by] = PLACE.exec(text) ?? [];
  if (window === undefined) return undefined;
  const lines = typed === undefined ? {} : { typed: Number(typed), by };
  return { window, pane: Number(pane), since: Number(since), ...lines };
}
