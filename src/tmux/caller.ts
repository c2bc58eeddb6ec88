// Place of this program: its tmux server and pane, where they can be known.

/** Known facts about this process; none if it runs outside tmux. */
export interface Caller {
  /** Every process above this one. */
  ancestorPids: ReadonlySet<number>;
  /** Its controlling terminal, such as `/dev/pts/4`. */
  tty?: string;
  /** `TMUX` and `TMUX_PANE` as inherited. */
  tmux?: string;
  tmuxPane?: string;
}

/** Facts of a pane that show if this program runs in it. */
export interface PaneIdentity {
  id: string;
  pid: number;
  tty: string;
  dead: boolean;
  /** Pid of the tmux server the pane belongs to. */
  serverPid: number;
}

/** True if this program runs in that pane. A dead pane's tty may be another pane's by now, so it proves nothing. */
export function isCallerPane(caller: Caller, pane: PaneIdentity): boolean {
  if (caller.ancestorPids.has(pane.pid)) return true;
  if (caller.tty !== undefined && caller.tty === pane.tty && !pane.dead) return true;
  const [, serverPid] = caller.tmux?.split(",") ?? [];
  return caller.tmuxPane === pane.id && Number(serverPid) === pane.serverPid;
}

/** Place of this program as seen from one tmux server. */
export type CallerPlace =
  | { kind: "outside" }
  | { kind: "pane"; paneId: string }
  /** In that server, in an unknown pane. */
  | { kind: "unknown" };

/** Without facts about the caller, its place counts as unknown: policy then errs on refusing. */
export function findCaller(
  caller: Caller | undefined,
  panes: readonly PaneIdentity[],
  serverPid: number,
): CallerPlace {
  if (!caller) return { kind: "unknown" };
  const own = panes.find((pane) => isCallerPane(caller, pane));
  if (own) return { kind: "pane", paneId: own.id };
  return { kind: Number(caller.tmux?.split(",")[1]) === serverPid ? "unknown" : "outside" };
}
