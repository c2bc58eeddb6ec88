// Every session, window and pane of a server at one moment, for decisions.
import type { ExecOptions } from "./exec.ts";
import { idKind } from "../ids.ts";
import { HANDOVER, isHandedOver } from "./handover_marks.ts";
import { SERVER_KEY } from "./server_key.ts";
import { type Owned, OWNER_OPTION, ownerCommand, ownerKey } from "./ownership.ts";
import { SERVICE_OPTION } from "./pane_claims.ts";
import type { TmuxGateway } from "./gateway.ts";

export interface ServerSnapshotOptions extends ExecOptions {
  /** Objects whose owner is wanted too. */
  ownersOf?: readonly Owned[];
}

export interface PaneFacts {
  paneId: string;
  windowId: string;
  windowIndex: number;
  sessionId: string;
  sessionName: string;
  /** The sessions its window is linked into, as tmux lists them: names between commas. */
  linkedInto: string;
  pid: number;
  tty: string;
  columns: number;
  rows: number;
  /** From 0. */
  cursorRow: number;
  dead: boolean;
  inMode: boolean;
  synchronized: boolean;
  inputOff: boolean;
  /** A person is answering there. */
  handedOver: boolean;
  /** `@tmux_mcp_owner` as it holds for the pane: its own, or else its window's or session's. */
  owner: string;
  /** The name of the service it runs; empty for any other pane. */
  service: string;
  /** False for a pane that another, zoomed one of its window hides. */
  visible: boolean;
}

/** One row per link: a pane of a window linked into two sessions stands there twice. */
export interface ServerSnapshot {
  /** Pid and start time of the tmux server; ids of one server mean nothing on another. */
  serverKey: string;
  /** The tmux server's version, such as `3.3a`. */
  version: string;
  panes: PaneFacts[];
  /** `@tmux_mcp_owner` of an object, by its id; undefined for one it was not asked for. */
  readonly ownerOf: (id: string) => string | undefined;
}

const FIELDS = {
  paneId: "#{pane_id}",
  windowId: "#{window_id}",
  windowIndex: "#{window_index}",
  sessionId: "#{session_id}",
  pid: "#{pane_pid}",
  tty: "#{pane_tty}",
  columns: "#{pane_width}",
  rows: "#{pane_height}",
  cursorRow: "#{cursor_y}",
  dead: "#{pane_dead}",
  inMode: "#{pane_in_mode}",
  synchronized: "#{pane_synchronized}",
  inputOff: "#{pane_input_off}",
  handover: `#{${HANDOVER}}`,
  visible: "#{?window_zoomed_flag,#{pane_active},1}",
  serverKey: SERVER_KEY,
  version: "#{version}",
  owner: `#{${OWNER_OPTION}}`,
  service: `#{${SERVICE_OPTION}}`,
  sessionName: "#{session_name}",
  linkedInto: "#{window_linked_sessions_list}",
};

/** Asks for owners in the same batch; a target that does not exist ends the batch after the panes are listed. */
export async function readServerSnapshot(
  tmux: TmuxGateway,
  { ownersOf = [], ...options }: ServerSnapshotOptions,
): Promise<ServerSnapshot> {
  const { codec } = tmux;
  const text = await tmux.runUntilMissing([
    ["list-panes", "-a", "-F", codec.format(FIELDS)],
    ...ownersOf.flatMap((target) => [codec.dividerCommand(), ownerCommand(target)]),
  ], options);
  const [listed = "", ...owners] = codec.split(text);
  const rows = codec.parse(FIELDS, listed);
  const found = new Map(ownersOf.map((target, i) => [ownerKey(target), owners[i]?.trim() ?? ""]));
  return {
    // A session's owner was asked for by its id or by its name.
    ownerOf: (id) => {
      const name = rows.find((row) => row.sessionId === id)?.sessionName;
      return found.get(ownerKey({ kind: idKind(id) ?? "session", id })) ??
        (name === undefined ? undefined : found.get(ownerKey({ kind: "session", id: name })));
    },
    serverKey: rows[0]?.serverKey ?? "",
    version: rows[0]?.version ?? "",
    panes: rows.map((row) => ({
      paneId: row.paneId,
      windowId: row.windowId,
      windowIndex: Number(row.windowIndex),
      sessionId: row.sessionId,
      sessionName: row.sessionName,
      linkedInto: row.linkedInto,
      pid: Number(row.pid),
      tty: row.tty,
      columns: Number(row.columns),
      rows: Number(row.rows),
      cursorRow: Number(row.cursorRow),
      dead: row.dead === "1",
      inMode: row.inMode !== "0",
      synchronized: row.synchronized === "1",
      inputOff: row.inputOff === "1",
      handedOver: isHandedOver(row.handover),
      owner: row.owner,
      service: row.service,
      visible: row.visible === "1",
    })),
  };
}
