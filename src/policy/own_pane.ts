// Finds the pane this server itself runs in, and keeps calls from ending it or typing into it.
import { AppError } from "../errors.ts";
import type { Aim } from "./aims.ts";
import type { Caller } from "./types.ts";

export interface OwnProcess {
  /** Our own pid and those above it. */
  readonly ancestors: ReadonlySet<number>;
  /** The terminal that controls us, as a path; undefined for none. */
  readonly tty?: string | undefined;
  /** `$TMUX` and `$TMUX_PANE`. */
  readonly tmux?: string | undefined;
  readonly tmuxPane?: string | undefined;
}

export interface PaneProcess {
  readonly paneId: string;
  readonly pid: number;
  readonly tty: string;
}

export interface AskedServer {
  /** Absolute, symlinks resolved. */
  readonly socketPath: string;
  readonly panes: readonly PaneProcess[];
}

/** The pane whose process is above ours or whose terminal is ours; what `$TMUX` says where that fails. */
export function findCaller(own: OwnProcess, { socketPath, panes }: AskedServer): Caller {
  const pane = panes.find(({ pid, tty }) =>
    own.ancestors.has(pid) || (own.tty !== undefined && own.tty === tty)
  );
  if (pane !== undefined) return { kind: "pane", paneId: pane.paneId };
  const named = own.tmux?.split(",")[0];
  if (named === undefined || named === "" || named !== socketPath) return { kind: "outside" };
  const told = panes.find(({ paneId }) => paneId === own.tmuxPane);
  return told === undefined ? { kind: "unknown" } : { kind: "pane", paneId: told.paneId };
}

/** @throws {AppError} `denied` where the aim holds the pane this server runs in, whatever the tier. */
export function checkOwnPane(verb: string, aim: Aim, caller: Caller): void {
  const whole = aim.kind === "server" || aim.kind === "session";
  if (caller.kind === "pane" && aim.rows.some(({ paneId }) => paneId === caller.paneId)) {
    const which = aim.kind === "pane"
      ? "it runs this server"
      : `pane "${caller.paneId}" in it runs this server`;
    throw new AppError("denied", `Cannot ${verb} ${aim.name}: ${which}`, {
      hint: "Use another pane: list-panes marks this server's own with isCaller",
    });
  }
  if (caller.kind === "unknown" && whole) {
    throw new AppError("denied", `Cannot ${verb} ${aim.name}: it may hold the pane that runs this server`, {
      hint: "Kill single panes instead",
    });
  }
}
