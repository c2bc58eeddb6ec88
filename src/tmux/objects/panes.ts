// Panes: listing, creating, ending.
import { AppError, notFound } from "../../errors.ts";
import { isCallerPane, type PaneIdentity } from "../caller.ts";
import { delay } from "../../timer.ts";
import { settle } from "../new_objects.ts";
import type { Command } from "../../tmux_exec/exec.ts";
import { flag, int, maybeInt, maybeText, type RowOf } from "../columns.ts";
import { literal } from "../row_codec.ts";
import { idKind } from "../../ids.ts";
import { checkTitle } from "../names.ts";
import { type NewProgram, programFlags } from "../new_program.ts";
import type { ServerSnapshot } from "../server_snapshot.ts";
import type { Clients } from "./clients.ts";
import type { TmuxGateway } from "../gateway.ts";
import { IS_VISIBLE } from "../zoom.ts";
import type { SessionRef } from "../rows.ts";
import { ServerObjects } from "./server_objects.ts";

const PANE = {
  id: "#{pane_id}",
  title: "#{pane_title}",
  index: int("#{pane_index}"),
  active: flag("#{pane_active}"),
  width: int("#{pane_width}"),
  height: int("#{pane_height}"),
  currentCommand: "#{pane_current_command}",
  currentPath: "#{?pane_current_path,#{pane_current_path},#{pane_start_path}}",
  pid: int("#{pane_pid}"),
  windowId: "#{window_id}",
  sessionId: "#{session_id}",
};

/** Columns for filters and policy, in addition to a pane's own. */
const LISTED = {
  ...PANE,
  sessionName: "#{session_name}",
  tty: "#{pane_tty}",
  dead: flag("#{pane_dead}"),
  serverPid: int("#{pid}"),
};

const PANE_INFO = {
  ...PANE,
  windowName: "#{window_name}",
  sessionName: "#{session_name}",
  left: int("#{pane_left}"),
  top: int("#{pane_top}"),
  right: int("#{pane_right}"),
  bottom: int("#{pane_bottom}"),
  atLeft: flag("#{pane_at_left}"),
  atRight: flag("#{pane_at_right}"),
  atTop: flag("#{pane_at_top}"),
  atBottom: flag("#{pane_at_bottom}"),
  tty: "#{pane_tty}",
  dead: flag("#{pane_dead}"),
  deadStatus: maybeInt("#{pane_dead_status}"),
  deadSignal: maybeInt("#{pane_dead_signal}"),
  inMode: flag("#{pane_in_mode}"),
  mode: maybeText("#{pane_mode}"),
  alternateOn: flag("#{alternate_on}"),
  historySize: int("#{history_size}"),
  historyLimit: int("#{history_limit}"),
  startCommand: maybeText("#{pane_start_command}"),
};

/** Columns of a PaneInfo, and the one that shows if it is this program's own pane. */
export const PANE_INFO_COLUMNS = { ...PANE_INFO, serverPid: int("#{pid}") };

export type Pane = RowOf<typeof PANE> & { isCaller?: true };
export type PaneInfo = RowOf<typeof PANE_INFO> & { isCaller?: true };

/** Panes to list: those of a window or a session; all if neither is given. */
export interface PaneScope {
  windowId?: string | undefined;
  /** Id or exact name of a session. */
  sessionId?: string | undefined;
  /** Only panes of the window that a zoomed one doesn't hide. */
  visible?: boolean | undefined;
}

export type Direction = "horizontal" | "vertical" | "above" | "below" | "left" | "right";
export type Corner = "top-left" | "top-right" | "bottom-left" | "bottom-right";

export interface NewPane extends NewProgram {
  direction: Direction;
  /** Size in percent of the pane that is split. */
  size?: number | undefined;
}

export interface Respawn extends NewProgram {
  /** End the pane's program first. */
  kill: boolean;
}

const COUNTS_FROM_TOP = "#{m/r:absolute|relative|hybrid,#{copy-mode-line-numbers}}";
/**
 * Row of copy mode that a pane is at, as its command `goto-line` counts: from the end of the history, but from its
 * top, with 1 for the first and negative here, if the window has line numbers of these kinds (3.7).
 */
const COPY_MODE_ROW = { at: maybeInt(`#{?${COUNTS_FROM_TOP},-#{copy_position},#{scroll_position}}`) };
/** Number of times that a forked program is inspected. */
const FORK_READS = 20;

const CREATED = { paneId: "#{pane_id}", windowId: "#{window_id}" };

export class Panes extends ServerObjects {
  readonly #clients: Clients;

  constructor(tmux: TmuxGateway, clients: Clients) {
    super(tmux);
    this.#clients = clients;
  }

  /** Returns the panes of a window or a session, or all; a pane of a linked window is listed once. */
  async list(where: PaneScope = {}): Promise<Pane[]> {
    const rows = this.tmux.rows.named(scoped(await this.tmux.rows.list(LISTED, listCommand(where)), where));
    return rows.map(({ sessionName: _name, tty, dead, serverPid, ...pane }) => ({
      ...pane,
      ...this.#callerMark({ ...pane, tty, dead, serverPid }),
    }));
  }

  /** Does the same as `list`, with all columns. */
  async infos(where: PaneScope = {}): Promise<PaneInfo[]> {
    const rows = scoped(await this.tmux.rows.list(PANE_INFO_COLUMNS, listCommand(where)), where);
    return this.tmux.rows.named(rows).map((row) => this.toInfo(row));
  }

  async info(paneId: string): Promise<PaneInfo> {
    return await this.act(paneId);
  }

  /** Runs `acts` on a pane or a window, which must exist, then describes the pane, or the window's active pane. */
  async act(target: string, acts: readonly Command[] = []): Promise<PaneInfo> {
    return this.toInfo(
      await this.tmux.rows.readLinked(PANE_INFO_COLUMNS, target, [...acts, listPane(target)]),
    );
  }

  toInfo({ serverPid, ...info }: RowOf<typeof PANE_INFO_COLUMNS>): PaneInfo {
    return { ...info, ...this.#callerMark({ ...info, serverPid }) };
  }

  /**
   * Returns the pane in a corner of a window; if several touch it, the one furthest to the right and bottom. A zoomed
   * pane is in every corner: tmux keeps the others' places, but shows none of them.
   */
  async atCorner(windowId: string, corner: Corner): Promise<PaneInfo> {
    const rows = await this.infos({ windowId, visible: true });
    const [vertical, horizontal] = corner.split("-");
    const [pane] = rows
      .filter((pane) => vertical === "top" ? pane.atTop : pane.atBottom)
      .filter((pane) => horizontal === "left" ? pane.atLeft : pane.atRight)
      .sort((a, b) => b.left + b.top - a.left - a.top);
    if (!pane) throw notFound("pane", corner);
    return pane;
  }

  /** Creates a pane next to another one, without focusing it. */
  async split(paneId: string, spec: NewPane): Promise<{ paneId: string; windowId: string }> {
    const { codec } = this.tmux;
    const size = spec.size === undefined ? [] : ["-l", `${spec.size}%`];
    const text = await this.tmux.run([
      ["has-session", "-t", paneId],
      [
        ...["split-window", "-d", "-P", "-F", codec.format(CREATED), "-t", paneId],
        ...DIRECTION_FLAGS[spec.direction],
        ...size,
        ...await programFlags(this.tmux.machine, spec),
      ],
    ]);
    const [made] = codec.parse(CREATED, text);
    if (!made) {
      throw new AppError("tmux-error", `tmux split "${paneId}" but did not describe the new pane: ${text}`);
    }
    await settle(this.tmux, { pane: made.paneId });
    return made;
  }

  async rename(paneId: string, title: string, { version }: ServerSnapshot): Promise<PaneInfo> {
    await checkTitle(this.tmux, title, version);
    return await this.act(paneId, [["select-pane", "-t", paneId, "-T", literal(title)]]);
  }

  async kill(paneId: string): Promise<void> {
    await this.tmux.run([["has-session", "-t", paneId], ["kill-pane", "-t", paneId]]);
  }

  /** Starts the pane's command, or another one, in the same pane. */
  async respawn(paneId: string, { kill, ...spec }: Respawn): Promise<PaneInfo> {
    const flags = await programFlags(this.tmux.machine, spec);
    const command = ["respawn-pane", ...(kill ? ["-k"] : []), "-t", paneId, ...flags];
    try {
      const pane = await this.#clients.letGo(paneId, (first) => this.act(paneId, [...first, command]));
      return await this.#whenForked(pane);
    } catch (error) {
      if (!(error instanceof AppError) || !/still active/.test(error.message)) throw error;
      throw new AppError("busy", `Cannot respawn pane "${paneId}": its program still runs`, {
        hint: "Call respawn-pane with kill: true to end it first",
      });
    }
  }

  /** Waits until the program's folder is known, which it is not in tmux 3.2 at the moment of the fork. */
  async #whenForked(pane: PaneInfo): Promise<PaneInfo> {
    let latest = pane;
    for (let reads = 0; latest.currentPath === "" && !latest.dead && reads < FORK_READS; reads++) {
      await delay(5);
      const [now] = (await this.infos()).filter(({ id }) => id === pane.id);
      if (now === undefined) return latest;
      latest = now;
    }
    return latest;
  }

  /**
   * Clears screen and history; the program receives no key. tmux can't reach the main screen under an alternate one,
   * which then is what it clears.
   */
  async clear(paneId: string): Promise<{ alternateOn: boolean }> {
    return await this.tmux.rows.read({ alternateOn: PANE_INFO.alternateOn }, paneId, {
      acts: [["send-keys", "-R", "-t", paneId], ["clear-history", "-t", paneId]],
    });
  }

  /**
   * Enters copy mode at a row. Scrolling instead would go row by row, even past the end of the history, while tmux
   * serves nobody else.
   */
  async enterCopyMode(paneId: string, scrollUp: number): Promise<PaneInfo> {
    const enter = ["copy-mode", "-t", paneId];
    if (scrollUp === 0) return await this.act(paneId, [enter]);
    const { at = 0 } = await this.tmux.rows.read(COPY_MODE_ROW, paneId, { acts: [enter] });
    const row = at < 0 ? Math.max(1, -at - scrollUp) : at + scrollUp;
    return await this.act(paneId, [enter, ["send-keys", "-X", "-t", paneId, "goto-line", String(row)]]);
  }

  /** Leaves copy mode or any other mode; nothing changes in a pane that is in no mode. */
  async exitCopyMode(paneId: string): Promise<PaneInfo> {
    return await this.act(paneId, [["copy-mode", "-q", "-t", paneId]]);
  }

  #callerMark(pane: PaneIdentity): { isCaller?: true } {
    const { caller } = this.tmux;
    return caller !== undefined && isCallerPane(caller, pane) ? { isCaller: true } : {};
  }
}

/** Returns the command that lists a pane, or a window's active pane, once for each session that it is in. */
export function listPane(id: string): Command {
  const filter = idKind(id) === "window"
    ? `#{&&:#{==:#{window_id},${id}},#{pane_active}}`
    : `#{==:#{pane_id},${id}}`;
  return ["list-panes", "-a", "-f", filter];
}

/** Command that lists panes. Names are matched in the rows: tmux would also take a client's name for its session's. */
function listCommand({ windowId, sessionId, visible }: PaneScope): Command {
  if (windowId !== undefined) {
    const ofWindow = `#{==:#{window_id},${windowId}}`;
    return ["list-panes", "-a", "-f", visible ? `#{&&:${ofWindow},${IS_VISIBLE}}` : ofWindow];
  }
  const named = sessionId !== undefined && idKind(sessionId) === "session";
  return ["list-panes", ...(named ? ["-s", "-t", `${sessionId}:`] : ["-a"])];
}

function scoped<R extends SessionRef>(rows: readonly R[], { windowId, sessionId }: PaneScope): R[] {
  if (windowId !== undefined && rows.length === 0) throw notFound("window", windowId);
  const matches = rows.filter((row) =>
    sessionId === undefined || sessionId === row.sessionId || sessionId === row.sessionName
  );
  if (rows.length === 0 || matches.length > 0) return matches;
  if (windowId === undefined) throw notFound("session", sessionId!);
  throw new AppError("not-found", `Cannot find window "${windowId}" in session "${sessionId}"`, {
    hint: "Give windowId or sessionId, not both",
  });
}

/** Flags of `split-window` and `join-pane` for a place next to a pane. */
export const DIRECTION_FLAGS: Readonly<Record<Direction, readonly string[]>> = {
  horizontal: ["-h"],
  vertical: ["-v"],
  above: ["-v", "-b"],
  below: ["-v"],
  left: ["-h", "-b"],
  right: ["-h"],
};
