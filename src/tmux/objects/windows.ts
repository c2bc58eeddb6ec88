// Windows: listing, creating, renaming, arranging, ending.
import { AppError, hasCode, notFound } from "../../errors.ts";
import { flag, int, type RowOf } from "../columns.ts";
import { settle } from "../new_objects.ts";
import type { Command } from "../../tmux_exec/exec.ts";
import { failIf, ifTrue } from "../conditions.ts";
import { literal } from "../row_codec.ts";
import { idKind } from "../../ids.ts";
import { badLayout, checkLayout, refusedLayout } from "../layout.ts";
import { checkWindowName } from "../names.ts";
import { type NewProgram, programFlags, type Unclaimed } from "../new_program.ts";
import { markMoved } from "../ownership.ts";
import { markUnclaimed } from "../unclaimed_panes.ts";
import { temporaryName } from "../unfinished_sessions.ts";
import type { ServerSnapshot } from "../server_snapshot.ts";
import { ServerObjects } from "./server_objects.ts";

export const WINDOW = {
  id: "#{window_id}",
  name: "#{window_name}",
  index: int("#{window_index}"),
  active: flag("#{window_active}"),
  panes: int("#{window_panes}"),
  sessionId: "#{session_id}",
  sessionName: "#{session_name}",
  layout: "#{window_layout}",
  width: int("#{window_width}"),
  height: int("#{window_height}"),
  zoomed: flag("#{window_zoomed_flag}"),
  activePaneId: "#{pane_id}",
};

export type Window = RowOf<typeof WINDOW>;

export interface NewWindow extends NewProgram, Unclaimed {
  name?: string | undefined;
  /** Make it the session's current window. */
  attach: boolean;
  /** Create it next to the session's current window instead of at the first free index. */
  direction?: "before" | "after" | undefined;
  /** Create it at this index, which must be free. */
  index?: number | undefined;
}

/** Columns and rows; a value that is left out stays unchanged. */
export interface Size {
  width?: number | undefined;
  height?: number | undefined;
}

const CREATED = {
  windowId: "#{window_id}",
  paneId: "#{pane_id}",
  sessionId: "#{session_id}",
  windowName: "#{window_name}",
};

export type CreatedWindow = RowOf<typeof CREATED>;

/** True for the highest index; tmux (3.3a) ends when it looks for one after it. */
const IS_HIGHEST = "#{==:#{window_index},2147483647}";
const NO_INDEX = "no index after the highest";

const SIZED = { ...CREATED, version: "#{version}", size: "#{default-size}" };

export class Windows extends ServerObjects {
  /** Returns the windows of a session given by id or exact name, or all; one row per link. */
  async list(session?: string): Promise<Window[]> {
    const scope = session !== undefined && idKind(session) === "session" ? ["-t", `${session}:`] : ["-a"];
    const rows = await this.tmux.rows.list(WINDOW, ["list-windows", ...scope]);
    if (session === undefined) return rows;
    const scoped = rows.filter((row) => row.sessionId === session || row.sessionName === session);
    if (rows.length > 0 && scoped.length === 0) throw notFound("session", session);
    return scoped;
  }

  /** Returns a window. If it is linked into several sessions, `session` (id or exact name) chooses the link. */
  async info(windowId: string, session?: string): Promise<Window> {
    if (session === undefined) return await this.act(windowId);
    const window = (await this.list(session)).find((window) => window.id === windowId);
    if (!window) throw notFound("window", `${session}:${windowId}`);
    return window;
  }

  /** Returns the window at an index of a session given by id or exact name. */
  async at(session: string, index: number): Promise<Window> {
    const window = (await this.list(session)).find((window) => window.index === index);
    if (!window) throw notFound("window", `${session}:${index}`);
    return window;
  }

  /** Runs `acts` on a window, which must exist, then describes it. */
  async act(windowId: string, acts: readonly Command[] = []): Promise<Window> {
    const listed = ["list-windows", "-a", "-f", `#{==:#{window_id},${windowId}}`];
    return await this.tmux.rows.readLinked(WINDOW, windowId, [...acts, listed]);
  }

  /** Does the same for a window in one session; `from` names it before the acts if `target` is another one then. */
  async #actIn(target: string, acts: readonly Command[] = [], from: string = target): Promise<Window> {
    return await this.tmux.rows.read(WINDOW, target, { acts, from });
  }

  async create(sessionId: string, spec: NewWindow): Promise<CreatedWindow> {
    const { name } = spec;
    if (name !== undefined) await checkWindowName(this.tmux, name);
    const { codec } = this.tmux;
    const marked = markedWindow(sessionId, spec);
    const beside = { before: ["-b"], after: ["-a"] };
    const text = await this.tmux.run([
      ["has-session", "-t", sessionId],
      ...(spec.direction === "after" ? [failIf(`${sessionId}:`, [IS_HIGHEST, NO_INDEX])] : []),
      [
        ...["new-window", ...(spec.attach ? [] : ["-d"]), "-P", "-F", codec.format(SIZED)],
        ...["-t", `${sessionId}:${spec.index ?? ""}`],
        ...(spec.direction === undefined ? [] : beside[spec.direction]),
        ...(name === undefined ? [] : ["-n", literal(marked?.name ?? name)]),
        ...await programFlags(this.tmux.machine, spec),
      ],
      ...marked?.commands ?? [],
    ]).catch((error: unknown) => {
      throw error instanceof AppError && error.message.endsWith(NO_INDEX) ? afterHighest() : error;
    });
    const [row] = codec.parse(SIZED, text);
    if (!row) throw new AppError("tmux-error", `tmux created a window but did not describe it: ${text}`);
    const { version, size, ...made } = row;
    const [width = 80, height = 24] = size.split("x").map(Number);
    const window = { windowId: made.windowId, width, height, version };
    await settle(this.tmux, { window: made.windowId, pane: made.paneId }, window);
    return made;
  }

  async rename(windowId: string, name: string): Promise<Window> {
    await checkWindowName(this.tmux, name);
    return await this.act(windowId, [["rename-window", "-t", windowId, "--", literal(name)]]);
  }

  /** Ends a window in every session that it is linked into. */
  async kill(windowId: string): Promise<void> {
    await this.tmux.run([["has-session", "-t", windowId], ["kill-window", "-t", windowId]]);
  }

  /** Moves one link of a window to an index, another session, or both; the session's current window stays. */
  async move(
    windowId: string,
    { snapshot, session, index }: {
      snapshot: ServerSnapshot;
      session?: string | undefined;
      index?: number | undefined;
    },
  ): Promise<Window> {
    const links = snapshot.panes.filter((pane) => pane.windowId === windowId);
    const from = (links.find((link) => link.sessionId === session) ?? links[0])?.sessionId;
    if (from === undefined) throw notFound("window", windowId);
    const to = session ?? from;
    const stays = links.some((link) => link.sessionId === to && link.windowIndex === index);
    if (stays) return await this.#actIn(`${to}:${windowId}`);
    const source = `${from}:${windowId}`;
    const staysCurrent = to === from && (await this.#actIn(source)).active;
    const move = ["move-window", ...(staysCurrent ? [] : ["-d"]), "-s", source, "-t", `${to}:${index ?? ""}`];
    try {
      const marks = to === from ? [] : [markMoved("window", source)];
      return await this.#actIn(source, [...marks, move], `${to}:${windowId}`);
    } catch (error) {
      if (!(error instanceof AppError) || !/index in use/.test(error.message)) throw error;
      throw new AppError("invalid-argument", `Cannot move window "${windowId}": index ${index} is in use`, {
        hint: "Call list-windows for the indexes in use",
      });
    }
  }

  /** Makes a window the current one of its session; `target` may name the session too (`$1:@3`). */
  async select(target: string): Promise<Window> {
    return await this.#actIn(target, [["select-window", "-t", target]]);
  }

  /** Returns the target of a window at an index of a session given by id: tmux would also take an index for a name. */
  linkAt(snapshot: ServerSnapshot, sessionId: string, index: number): string {
    const link = snapshot.panes.find((pane) => pane.sessionId === sessionId && pane.windowIndex === index);
    if (!link) throw notFound("window", `${sessionId}:${index}`);
    return `${sessionId}:${link.windowId}`;
  }

  /** Returns the target of a window in a session, or in the only session of the snapshot that has it; else tmux chooses. */
  linkOf(snapshot: ServerSnapshot, windowId: string, sessionId: string | undefined): string {
    const links = snapshot.panes.filter((pane) => pane.windowId === windowId).map((pane) => pane.sessionId);
    const [only, ...others] = new Set(links);
    const session = sessionId ?? (others.length === 0 ? only : undefined);
    return session === undefined ? windowId : `${session}:${windowId}`;
  }

  async step(sessionId: string, direction: "next" | "previous" | "last"): Promise<Window> {
    const session = `${sessionId}:`;
    return await this.#actIn(session, [[`${direction}-window`, "-t", session]]);
  }

  async selectLayout(windowId: string, layout: string, { version, panes }: ServerSnapshot): Promise<Window> {
    checkLayout(layout, version);
    try {
      return await this.act(windowId, [["select-layout", "-t", windowId, "--", layout]]);
    } catch (error) {
      if (!hasCode(error, "tmux-error")) throw error;
      const seen = new Set(panes.filter((row) => row.windowId === windowId).map(({ paneId }) => paneId));
      throw badLayout(layout, refusedLayout(error.message, seen.size), version);
    }
  }

  async resize(windowId: string, size: Size): Promise<Window> {
    return await this.act(windowId, [["resize-window", "-t", windowId, ...sizeFlags(size)]]);
  }

  async synchronize(windowId: string, enabled: boolean): Promise<void> {
    const value = enabled ? "on" : "off";
    await this.tmux.run([
      ["has-session", "-t", windowId],
      // A pane's own value would hold instead.
      ["set-option", "-wU", "-t", windowId, "synchronize-panes"],
      ["set-option", "-w", "-t", windowId, "synchronize-panes", value],
    ]);
  }
}

/**
 * Returns the name under which a window is created if it gets a mark, and the commands that mark and rename it in the
 * same step: tmux has no other target for a new window that is not the current one.
 */
function markedWindow(
  sessionId: string,
  { name, createdBy }: NewWindow,
): { name: string; commands: Command[] } | undefined {
  if (name === undefined || createdBy === undefined) return undefined;
  const first = temporaryName();
  const target = `${sessionId}:=${first}`;
  const rename = ["rename-window", "-t", target, "--", literal(name)];
  // A hook may have given the window another name, or moved it.
  const isThere = `#{==:#{window_name},${first}}`;
  const then = [markUnclaimed(target, createdBy), rename];
  return { name: first, commands: [ifTrue(target, isThere, { then })] };
}

function afterHighest(): AppError {
  const what = "Cannot create a window after the current one: that has the highest index";
  return new AppError("invalid-argument", what, { hint: "Leave direction out for the first free index" });
}

export function sizeFlags({ width, height }: Size): string[] {
  return [
    ...(width === undefined ? [] : ["-x", String(width)]),
    ...(height === undefined ? [] : ["-y", String(height)]),
  ];
}
