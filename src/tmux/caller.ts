// Place of this program: its tmux server and pane, as far as they are known.

/** Known facts about this process; there are none if it runs outside tmux. */
export interface Caller {
  ancestorPids: ReadonlySet<number>;
  /** Its controlling terminal, such as `/dev/pts/4`. */
  tty?: string;
  /** Values of `TMUX` and `TMUX_PANE`, as inherited. */
  tmux?: string;
  tmuxPane?: string;
}

/** Returns the pane that the environment names, if it is one of the tmux server that is served. */
export function findOwnPane(
  { TMUX, TMUX_PANE }: Readonly<Record<string, string | undefined>>,
  { socket, ssh }: { socket?: string | undefined; ssh?: string | undefined },
): string | undefined {
  const isServed = ssh === undefined && (socket === undefined || socket === TMUX?.split(",")[0]);
  return isServed && TMUX && /^%\d+$/.test(TMUX_PANE ?? "") ? TMUX_PANE : undefined;
}

/** Facts of a pane that show if this program runs in it. */
export interface PaneIdentity {
  id: string;
  pid: number;
  tty: string;
  dead: boolean;
  serverPid: number;
}

/** True if this program runs in the pane. A dead pane's tty may belong to another pane by now, so it proves nothing. */
export function isCallerPane(caller: Caller, pane: PaneIdentity): boolean {
  if (caller.ancestorPids.has(pane.pid)) return true;
  if (caller.tty !== undefined && caller.tty === pane.tty && !pane.dead) return true;
  const [, serverPid] = caller.tmux?.split(",") ?? [];
  return caller.tmuxPane === pane.id && Number(serverPid) === pane.serverPid;
}

/** Place of this program, as seen from one tmux server. */
export type CallerPlace =
  | { kind: "outside" }
  | { kind: "pane"; paneId: string }
  /** In a pane of that server, but it is unknown which one. */
  | { kind: "unknown" };

/** Returns the place of this program: unknown without facts about the caller, so that policy refuses when in doubt. */
export function findCaller(
  caller: Caller | undefined,
  panes: readonly PaneIdentity[],
  serverPid: number,
): CallerPlace {
  if (!caller) return { kind: "unknown" };
  const callerPane = panes.find((pane) => isCallerPane(caller, pane));
  if (callerPane) return { kind: "pane", paneId: callerPane.id };
  return { kind: Number(caller.tmux?.split(",")[1]) === serverPid ? "unknown" : "outside" };
}
