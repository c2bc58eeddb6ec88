// Every session, window and pane of a server at one moment, for decisions.
import { flag, int, type RowOf } from "./columns.ts";
import { MODE } from "./typing/pane_mode.ts";
import type { ExecOptions } from "../tmux_exec/exec.ts";
import { idKind } from "../ids.ts";
import { HANDOVER, type HandoverFacts, isHandedOver, readHandover } from "./typing/handed_over_panes.ts";
import { SERVER_KEY } from "./server_key.ts";
import { type Owned, OWNER_OPTION, ownerCommand, ownerKey } from "./ownership.ts";
import { SERVICE_OPTION } from "./pane_claims.ts";
import type { TmuxGateway } from "./gateway.ts";
import { IS_VISIBLE } from "./zoom.ts";

export interface ServerSnapshotOptions extends ExecOptions {
  /** Objects whose owner is read too. */
  ownersOf?: readonly Owned[];
}

const PANE = {
  paneId: "#{pane_id}",
  windowId: "#{window_id}",
  windowIndex: int("#{window_index}"),
  sessionId: "#{session_id}",
  pid: int("#{pane_pid}"),
  tty: "#{pane_tty}",
  columns: int("#{pane_width}"),
  rows: int("#{pane_height}"),
  /** Row of the cursor, from 0. */
  cursorRow: int("#{cursor_y}"),
  dead: flag("#{pane_dead}"),
  /** Mode that takes its keys, such as `copy-mode`; empty if none does. */
  mode: MODE,
  synchronized: flag("#{pane_synchronized}"),
  inputOff: flag("#{pane_input_off}"),
  /** Kind of extended keys that its program gets (`KeySending`). */
  keyMode: "#{pane_key_mode}",
  handover: `#{${HANDOVER}}`,
  /** False for a pane that is hidden by a zoomed pane of its window. */
  visible: flag(IS_VISIBLE),
  /** `@tmux_mcp_owner` as it applies to the pane: its own, or else that of its window or session. */
  owner: `#{${OWNER_OPTION}}`,
  /** Name of the service that it runs; empty for any other pane. */
  service: `#{${SERVICE_OPTION}}`,
  sessionName: "#{session_name}",
  /** Sessions that its window is linked into, as tmux lists them: names separated by commas. */
  linkedInto: "#{window_linked_sessions_list}",
};

export type PaneFacts = RowOf<typeof PANE> & HandoverFacts;

/** State of a server with one row per link: a pane of a window that is linked into two sessions is listed twice. */
export interface ServerSnapshot {
  /** Pid and start time of the tmux server; its ids mean nothing on another server. */
  serverKey: string;
  /** Version of the tmux server, such as `3.3a`. */
  version: string;
  panes: PaneFacts[];
  /** Returns the `@tmux_mcp_owner` of an object by its id; undefined if it was not read. */
  readonly ownerOf: (id: string) => string | undefined;
}

const ROW = { ...PANE, serverKey: SERVER_KEY, version: "#{version}" };

/** Reads a snapshot, and owners in the same batch; a target that does not exist ends the batch after the panes. */
export async function readServerSnapshot(
  tmux: TmuxGateway,
  { ownersOf = [], ...options }: ServerSnapshotOptions,
): Promise<ServerSnapshot> {
  const { codec } = tmux;
  // Before its first colon, tmux would read such a name as that of another session.
  const readable = ownersOf.filter(({ id }) => !id.includes(":"));
  const text = await tmux.runUntilMissing([
    ["list-panes", "-a", "-F", codec.format(ROW)],
    ...readable.flatMap((target) => [codec.dividerCommand(), ownerCommand(target)]),
  ], options);
  const [listed = "", ...owners] = codec.split(text);
  const rows = codec.parse(ROW, listed);
  for (const { handover } of rows) {
    if (handover !== "" && tmux.isDead(readHandover(handover).processStamp)) tmux.foundLeft(handover);
  }
  const ownerByKey = new Map(readable.map((target, i) => [ownerKey(target), owners[i]?.trim() ?? ""]));
  return {
    // The owner of a session was read by its id or by its name.
    ownerOf: (id) => {
      const name = rows.find((row) => row.sessionId === id)?.sessionName;
      return ownerByKey.get(ownerKey({ kind: idKind(id) ?? "session", id })) ??
        (name === undefined ? undefined : ownerByKey.get(ownerKey({ kind: "session", id: name })));
    },
    serverKey: rows[0]?.serverKey ?? "",
    version: rows[0]?.version ?? "",
    panes: rows.map(({ serverKey: _key, version: _version, ...pane }) => ({
      ...pane,
      handedOver: isHandedOver(pane.handover, (stamp) => tmux.isDead(stamp)),
    })),
  };
}

const SESSION_TEXT = {
  sessionId: "#{session_id}",
  sessionName: "#{session_name}",
  serverKey: SERVER_KEY,
  panes: "#{W:#{P:#{window_id}#{pane_id} }}",
};

/**
 * Returns the sessions, windows and panes in scope as one text, which changes when one appears, ends or is renamed; empty
 * if no server runs.
 */
export async function readFingerprint(tmux: TmuxGateway): Promise<string> {
  const { codec } = tmux;
  const listed = await tmux.runIfServer([["list-sessions", "-F", codec.format(SESSION_TEXT)]]) ?? "";
  const seen = codec.parse(SESSION_TEXT, listed).flatMap(({ panes, ...session }) =>
    panes.trimEnd().split(" ")
      .filter((pane) => tmux.sees({ ...session, paneId: pane.slice(pane.indexOf("%")) }))
      .map((pane) => [...Object.values(session), pane].join(" "))
  );
  return seen.join("\n");
}
