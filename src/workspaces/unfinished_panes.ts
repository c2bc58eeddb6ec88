// Panes whose lines are being typed, or were typed in part: their places say how far, and by which process, so that a
// later call types the rest.
import type { Command } from "../tmux_exec/exec.ts";
import type { Tmux } from "../tmux/tmux.ts";
import { changePlace, placeCommand, resumePlace, type WorkspacePlace } from "../tmux/workspace_panes.ts";
import { bestEffort } from "../promises.ts";
import { keepApart, type PlacedPane, type PlacedWindow } from "./structure.ts";

/** Returns the command that notes the next line as typed, for the step that types it. */
export function noteLine(pane: PlacedPane, tmux: Tmux): Command[] {
  return tmux.processStamp === undefined
    ? []
    : [placeCommand(pane.paneId, placeAfter(pane, pane.typed + 1, tmux))];
}

/** Notes all lines as typed, before they are: if this process dies meanwhile, no later call types them twice. */
export async function noteLines(pane: PlacedPane, tmux: Tmux): Promise<void> {
  if (tmux.processStamp === undefined) return;
  await changeQuietly(pane, placeAfter(pane, pane.described.lines.length, tmux), tmux);
}

/** Leaves the lines that were not typed to a later call, which may describe others. */
export async function leaveLines(pane: PlacedPane, tmux: Tmux): Promise<void> {
  const { typed, described: { lines }, left } = pane;
  if (left || typed >= lines.length || isBegun(pane, typed)) return;
  pane.left = true;
  await changeQuietly(pane, { ...wholePlace(pane), typed }, tmux);
}

/**
 * Takes over the found panes whose lines were not all typed, so that this call types the others. A pane whose shell is
 * not at its prompt is left: anything may run there by now.
 */
export async function resumePanes(
  tmux: Tmux,
  windows: readonly PlacedWindow[],
  { isDead, isAtPrompt }: {
    isDead(processStamp: string): boolean;
    isAtPrompt(paneId: string): Promise<boolean>;
  },
): Promise<void> {
  const unfinished = windows.flatMap((window) =>
    window.panes.flatMap((pane) => {
      const { made, place } = pane;
      const isLeft = place?.by === undefined || isDead(place.by);
      return !made && place?.typed !== undefined && isLeft
        ? [{ window, pane, place, typed: place.typed }]
        : [];
    })
  );
  await Promise.all(unfinished.map(async ({ pane, typed }) => {
    const { lines, shell } = pane.described;
    pane.held = typed < lines.length && shell === undefined && !await isAtPrompt(pane.paneId);
  }));
  for (const { window, pane, place: found, typed } of unfinished.filter(({ pane }) => !pane.held)) {
    const resumed = placeAfter(pane, typed, tmux);
    if (!await resumePlace(tmux, pane.paneId, { found, resumed })) continue;
    pane.made = true;
    // That process has not set them if it created the window.
    if (found.by !== undefined) window.lacksOptions = true;
    await keepApart(tmux, pane.paneId);
  }
}

/** Notes that nothing more is done for a pane, unless its lines are left. */
export async function finishPane(pane: PlacedPane, tmux: Tmux): Promise<void> {
  if (!pane.made || pane.left || tmux.processStamp === undefined) return;
  await changeQuietly(pane, wholePlace(pane), tmux);
}

/** Place of a pane of which this process has typed so many lines. */
function placeAfter(pane: PlacedPane, typed: number, { processStamp: by }: Tmux): WorkspacePlace {
  return { ...wholePlace(pane), ...(by !== undefined && !isBegun(pane, typed) && { typed, by }) };
}

/** True if the last of these lines is typed in part: nothing may be added to it later. */
function isBegun({ described }: PlacedPane, typed: number): boolean {
  return described.lines[typed - 1]?.enter === false;
}

function wholePlace({ place }: PlacedPane): WorkspacePlace {
  const { window, pane, since } = place!;
  return { window, pane, since };
}

/** Changes the place of a pane, which may have ended by itself or been renamed. */
async function changeQuietly({ paneId }: PlacedPane, place: WorkspacePlace, tmux: Tmux): Promise<void> {
  await bestEffort(changePlace(tmux.unbound, paneId, place));
}
