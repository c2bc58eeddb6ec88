// Arrangement of panes in their windows: selecting, resizing, joining, breaking out, swapping, zooming.
import { AppError, notFound } from "../../errors.ts";
import { flag } from "../columns.ts";
import type { Command } from "../../tmux_exec/exec.ts";
import { literal } from "../row_codec.ts";
import { checkWindowName } from "../names.ts";
import { type Direction, DIRECTION_FLAGS, listPane, PANE_INFO_COLUMNS, type PaneInfo } from "./panes.ts";
import { markMoved, ownWindow } from "../ownership.ts";
import { ifTrue } from "../conditions.ts";
import type { ServerSnapshot } from "../server_snapshot.ts";
import type { TmuxGateway } from "../gateway.ts";
import { IS_ZOOMED } from "../zoom.ts";
import type { Panes } from "./panes.ts";
import { type Size, sizeFlags, WINDOW, type Window } from "./windows.ts";
import { ServerObjects } from "./server_objects.ts";

export type Edge = "U" | "D" | "L" | "R";
export type Step = keyof typeof STEPS | keyof typeof TURNS;

const STEPS = {
  up: ["select-pane", "-U"],
  down: ["select-pane", "-D"],
  left: ["select-pane", "-L"],
  right: ["select-pane", "-R"],
  last: ["last-pane"],
} as const;

/** Steps through the numbers of a window's panes. */
const TURNS = { next: 1, previous: -1 } as const;

const PLACE = { paneId: "#{pane_id}", active: flag("#{pane_active}") };
/** True for the only pane of a session's current window: with -d, the session would switch to another window. */
const MOVES_CURRENT = "#{&&:#{window_active},#{==:#{window_panes},1}}";
const MOVES_OTHER = "#{&&:#{==:#{window_active},0},#{==:#{window_panes},1}}";
const IS_SPLIT = "#{!=:#{window_panes},1}";
const PANE_ZOOM = { zoomedPane: flag(IS_ZOOMED) };

export class Arrangement extends ServerObjects {
  readonly #panes: Panes;

  constructor(tmux: TmuxGateway, panes: Panes) {
    super(tmux);
    this.#panes = panes;
  }

  /** Makes a pane the active one of its window; the current window does not change. */
  async select(paneId: string): Promise<PaneInfo> {
    return await this.#panes.act(paneId, [["select-pane", "-t", paneId]]);
  }

  /** Moves a window's focus from its active pane to another. */
  async step(windowId: string, step: Step): Promise<PaneInfo> {
    if (step === "next" || step === "previous") return await this.#turn(windowId, TURNS[step]);
    return await this.#panes.act(windowId, [[...STEPS[step], "-t", windowId]]);
  }

  /** tmux would count from the pane that is current for it (`@1.+`), even if that is in another window. */
  async #turn(windowId: string, by: number): Promise<PaneInfo> {
    const panes = await this.tmux.rows.list(PLACE, ["list-panes", "-t", windowId]);
    const at = panes.findIndex(({ active }) => active);
    const pane = panes.at((at + by) % panes.length);
    if (pane === undefined) throw notFound("window", windowId);
    return await this.select(pane.paneId);
  }

  async resize(paneId: string, size: Size): Promise<PaneInfo> {
    return await this.#panes.act(paneId, [["resize-pane", "-t", paneId, ...sizeFlags(size)]]);
  }

  async shift(paneId: string, edge: Edge, cells: number): Promise<PaneInfo> {
    const acts = cells === 0 ? [] : [["resize-pane", "-t", paneId, `-${edge}`, String(cells)]];
    return await this.#panes.act(paneId, acts);
  }

  /** Zooms or unzooms a pane; `undefined` toggles. tmux checks and acts in one step, so nothing can come between. */
  async zoom(paneId: string, zoomed: boolean | undefined): Promise<PaneInfo & { zoomed: boolean }> {
    const { zoomedPane, ...info } = await this.tmux.rows.readLinked(
      { ...PANE_ZOOM, ...PANE_INFO_COLUMNS },
      paneId,
      [...zoomCommands(paneId, zoomed), listPane(paneId)],
    );
    return { ...this.#panes.toInfo(info), zoomed: zoomedPane };
  }

  async join(
    sourcePaneId: string,
    targetPaneId: string,
    { direction, size }: { direction: Direction; size?: number | undefined },
  ): Promise<PaneInfo> {
    checkDifferent(sourcePaneId, targetPaneId, "join");
    return await this.#panes.act(sourcePaneId, [
      ["has-session", "-t", targetPaneId],
      markMoved("pane", sourcePaneId),
      [
        ...["join-pane", "-d", "-s", sourcePaneId, "-t", targetPaneId, ...DIRECTION_FLAGS[direction]],
        ...(size === undefined ? [] : ["-l", `${size}%`]),
      ],
    ]);
  }

  /** Moves a pane to a new window in the same session, without selecting it. */
  async breakOut(
    paneId: string,
    { snapshot, name }: { snapshot: ServerSnapshot; name?: string | undefined },
  ): Promise<Window> {
    if (name !== undefined) await checkWindowName(this.tmux, name);
    const session = snapshot.panes.find((pane) => pane.paneId === paneId)?.sessionId;
    if (session === undefined) throw notFound("pane", paneId);
    // The target names the session: for a window's only pane, the link itself moves, and tmux might choose another one.
    const [source, target] = [`${session}:.${paneId}`, `${session}:`];
    const breakPane = (...flags: string[]): Command => ["break-pane", ...flags, "-s", source, "-t", target];
    // Without a name, tmux 3.7 crashes if other panes stay, and it ignores one that is given (cmd-break-pane.c).
    const named = snapshot.version === "3.7" ? ["-n", "x"] : [];
    // Not nested, so that each branch gets its mark (batch_end.ts). What one does leaves the other conditions false.
    const moves = [
      ifTrue(source, MOVES_CURRENT, { then: [breakPane()] }),
      ifTrue(source, MOVES_OTHER, { then: [breakPane("-d")] }),
      ifTrue(source, IS_SPLIT, { then: [breakPane("-d", ...named), ownWindow(paneId)] }),
    ];
    // Renamed afterwards: `break-pane -n` expands formats in some versions only, `rename-window` in all.
    return await this.tmux.rows.readLinked(WINDOW, paneId, [
      markMoved("pane", paneId),
      ...moves,
      ...(name === undefined ? [] : [["rename-window", "-t", paneId, "--", literal(name)]]),
      ["list-windows", "-a", "-f", `#{==:#{pane_id},${paneId}}`],
    ]);
  }

  async swap(sourcePaneId: string, targetPaneId: string): Promise<PaneInfo> {
    checkDifferent(sourcePaneId, targetPaneId, "swap");
    return await this.#panes.act(sourcePaneId, [
      ["has-session", "-t", targetPaneId],
      ...[sourcePaneId, targetPaneId].map((paneId) => markMoved("pane", paneId)),
      ["swap-pane", "-d", "-s", sourcePaneId, "-t", targetPaneId],
    ]);
  }
}

/** Another zoomed pane is unzoomed before this one is zoomed, because -Z only toggles the window. */
function zoomCommands(paneId: string, zoomed: boolean | undefined): Command[] {
  const toggle = ["resize-pane", "-Z", "-t", paneId];
  const when = (condition: string): Command => ifTrue(paneId, condition, { then: [toggle] });
  if (zoomed === false) return [when(IS_ZOOMED)];
  const unzoomed = when(`#{&&:#{window_zoomed_flag},#{!=:${IS_ZOOMED},1}}`);
  return [unzoomed, zoomed ? when("#{!=:#{window_zoomed_flag},1}") : toggle];
}

function checkDifferent(source: string, target: string, verb: string): void {
  if (source !== target) return;
  throw new AppError("invalid-argument", `Cannot ${verb} pane "${source}" with itself`, {
    hint: "Call list-panes for other panes",
  });
}
