// Scope: the sessions, panes and sockets that calls may see and change.
import type { ScopedRow } from "../tmux/rows.ts";
import { paneKey } from "../tmux/server_key.ts";
import type { Effect } from "../tool.ts";
import type { ResolvedTarget } from "./resolved_target.ts";
import { denial } from "./denial.ts";
import type { PolicyPane, PolicySettings, PolicySnapshot } from "./types.ts";
import { getOrCreate } from "../maps.ts";

/** The ids on one tmux server that are in scope; listings show no others. */
export interface PolicyView {
  readonly sessionIds: ReadonlySet<string>;
  readonly windowIds: ReadonlySet<string>;
  readonly paneIds: ReadonlySet<string>;
  readonly sessionNames: ReadonlySet<string>;
  /** Indexes of each session's windows, and panes of each window, that are in scope. */
  readonly parts: ReadonlyMap<string, ReadonlySet<string>>;
  /** All existing ids, in scope or not. */
  readonly present: ReadonlySet<string>;
}

export class Scope {
  readonly #sessions: ReadonlySet<string> | undefined;
  readonly #panes: ReadonlySet<string> | undefined;
  /** Panes that calls in scope have created, each with its tmux server. */
  readonly #made = new Set<string>();

  constructor({ allowedSessions, allowedPanes }: Pick<PolicySettings, "allowedSessions" | "allowedPanes">) {
    this.#sessions = allowedSessions && new Set(allowedSessions);
    this.#panes = allowedPanes && new Set(allowedPanes);
  }

  get limited(): boolean {
    return this.#sessions !== undefined || this.#panes !== undefined;
  }

  /** True if panes are listed one by one, and new ones are added to them. */
  get listsPanes(): boolean {
    return this.#panes !== undefined;
  }

  /** Adds a pane that was created by a call in scope to the scope. */
  admit(paneId: string, serverKey: string): void {
    if (this.#panes !== undefined) this.#made.add(paneKey(serverKey, paneId));
  }

  /** Limits of listings; undefined if there are none. */
  view(snapshot: PolicySnapshot): PolicyView | undefined {
    if (!this.limited) return undefined;
    const rows = snapshot.panes.filter((row) => this.#holds(row, snapshot));
    return {
      sessionIds: new Set(rows.map((row) => row.sessionId)),
      windowIds: new Set(rows.map((row) => row.windowId)),
      paneIds: new Set(rows.map((row) => row.paneId)),
      sessionNames: new Set(rows.map((row) => row.sessionName)),
      parts: partsOf(rows),
      present: new Set(
        snapshot.panes.flatMap(({ sessionId, windowId, paneId }) => [sessionId, windowId, paneId]),
      ),
    };
  }

  /** The rows in scope; a pane can be in scope in one session that it is linked into but not in another. */
  rowsOf<Row extends PolicyPane>(
    snapshot: { readonly serverKey: string; readonly panes: readonly Row[] },
  ): Row[] {
    return snapshot.panes.filter((row) => !this.limited || this.#holds(row, snapshot));
  }

  /**
   * Checks that an object is in scope: at least one of its links must be, and one of each pane if the call may act on
   * any. All links must be in scope to destroy it, to take it out of its window, to change the server, or to type into
   * more than one pane.
   * @throws {AppError} `denied`
   */
  check(
    verb: string,
    resolved: ResolvedTarget,
    { snapshot, effect }: { snapshot: PolicySnapshot; effect: Effect },
  ): void {
    if (!this.limited || (resolved.kind === "server" && effect === "read")) return;
    const whole = effect === "destroy" || resolved.leaves || resolved.kind === "server" ||
      effect === "input" && resolved.kind !== "pane";
    const holds = (row: PolicyPane): boolean => this.#holds(row, snapshot);
    const { rows } = resolved;
    const isSeen = ({ paneId }: PolicyPane): boolean =>
      rows.some((row) => row.paneId === paneId && holds(row));
    const isInScope = whole ? rows.every(holds) : resolved.anyPane ? rows.every(isSeen) : rows.some(holds);
    if (isInScope) return;
    const hint = "Call list-panes for the panes in scope";
    throw denial(`Cannot ${verb} ${resolved.name}`, this.#setting(rows), hint);
  }

  /** @throws {AppError} `denied` for an unlisted name */
  checkNewSession(name: string | undefined, verb: string): void {
    if (name !== undefined && this.#sessions?.has(name)) return;
    const what = name === undefined ? "Cannot create a session" : `Cannot ${verb} "${name}"`;
    if (this.#sessions !== undefined) {
      const unnamed = name === undefined ? " without a name" : "";
      throw denial(what + unnamed, `security.allowed_sessions = ${JSON.stringify([...this.#sessions])}`);
    }
    if (this.#panes !== undefined) throw denial(what, this.#setting([]));
  }

  /** @throws {AppError} `denied`, because a buffer that another session or a person set is out of scope */
  denyBuffer(name: string): never {
    const what = `Cannot use ${name}, which this server did not set`;
    throw denial(what, this.#setting([]), "Call set-buffer to create one");
  }

  #holds(
    { sessionId, sessionName, paneId }: PolicyPane,
    { serverKey }: Pick<PolicySnapshot, "serverKey">,
  ): boolean {
    return this.sees({ sessionId, sessionName, paneId, serverKey });
  }

  /** True if a session may be shown; for a row of a pane, if that pane may. */
  sees({ paneId, serverKey = "", ...session }: ScopedRow): boolean {
    return this.#seesSession(session) &&
      (paneId === undefined || this.#panes === undefined || this.#panes.has(paneId) ||
        this.#made.has(paneKey(serverKey, paneId)));
  }

  #seesSession({ sessionId, sessionName }: Pick<PolicyPane, "sessionId" | "sessionName">): boolean {
    return this.#sessions === undefined || this.#sessions.has(sessionId) || this.#sessions.has(sessionName);
  }

  /** The setting whose list doesn't include the rows. */
  #setting(rows: readonly PolicyPane[]): string {
    const bySession = this.#sessions !== undefined && !rows.every((row) => this.#seesSession(row));
    return bySession || this.#panes === undefined
      ? `security.allowed_sessions = ${JSON.stringify([...this.#sessions ?? []])}`
      : `security.allowed_panes = ${JSON.stringify([...this.#panes])}`;
  }
}

function partsOf(rows: readonly PolicyPane[]): Map<string, Set<string>> {
  const parts = new Map<string, Set<string>>();
  const add = (whole: string, part: string) => getOrCreate(parts, whole, () => new Set()).add(part);
  for (const { sessionId, windowId, windowIndex, paneId } of rows) {
    // A window can be linked into a session twice.
    add(sessionId, `${windowIndex}`);
    add(windowId, paneId);
  }
  return parts;
}
