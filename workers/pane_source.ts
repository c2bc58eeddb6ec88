// Source of a pane's bytes: a control client of its session, or the pane's own pipe.
import type { Command } from "../src/tmux/exec.ts";
import type { SpoolFile } from "../src/tmux/spool_pipe.ts";
import { delay } from "../src/timer.ts";

/** A pane, and a session it is in. */
export interface PaneLocation {
  paneId: string;
  sessionId: string;
}

/** tmux answers and the pane lives, and yet no client stays attached to its session. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

/** Callbacks for events of a pane. */
export interface PaneListener {
  output(bytes: Uint8Array): void;
  /** tmux dropped output that this reader was too slow for, up to where the next commands are run. */
  gap(): void;
  /** The pane has another size; a source that can't tell says `changed`. */
  sized(columns: number, rows: number): void;
  /** The pane may be gone, or its process; check it. */
  changed(): void;
  /** The source has ended: nothing more comes. */
  closed(): void;
  /** A callback above has failed; other listeners must not be affected. */
  failed(error: unknown): void;
}

/** Output of the last of some commands, or the reason why one failed. */
export interface CommandAnswer {
  failed: boolean;
  text: string;
  /** All that the commands printed, as `tmux` prints it. */
  printed: string;
  /** Output that came after the commands were run may stand before this answer. */
  isLate?: boolean;
}

/** A spool, and what reports from which byte on it has the pane's output. */
export interface PaneSpool extends SpoolFile {
  spooling(active: boolean): void;
}

export interface PaneSource {
  /** True if it passes on what its panes print while they are in this session. */
  serves(sessionId: string): boolean;
  /** True if it has ended, or is about to. */
  readonly closed: boolean;
  /** Begins to hand a pane's output to the listener; settles when nothing after that can be missed. */
  follow(paneId: string, listener: PaneListener): Promise<void>;
  /** Stops passing output on; the last one to leave ends the source, after at most `lingerMs`. */
  leave(paneId: string, listener: PaneListener, lingerMs: number): Promise<void>;
  /** Runs commands in order; `onReply` gets the answer as close to its place among the pane's output as possible. */
  send(
    paneId: string,
    commands: readonly Command[],
    onReply?: (answer: CommandAnswer) => void,
  ): Promise<CommandAnswer>;
  /** Settles when what tmux has read of its panes so far is passed on. */
  sync(): Promise<void>;
  /** Copies the pane's output to a spool as well, unless `endSpool` comes soon. */
  beginSpool?(paneId: string, spool: PaneSpool): void;
  /** Nothing more of the pane belongs in its spool: its pipe ends with the last to leave. */
  endSpool?(paneId: string): void;
  /** Passes a pipe that carries all the pane's output to the source that now follows it; returns whether it had one. */
  passPipe?(paneId: string, next: PaneSource): boolean;
  /** Settles when tmux has nothing left to send, or keeps sending more. */
  settle(): Promise<void>;
}

/** Others may keep printing in the same session. */
const MAX_ROUNDS = 50;
const SILENCE_MS = 4;

/**
 * Waits for the final output of a program, which can still be on its way to tmux when the program is gone: tmux must
 * be silent twice with a little time in between. `bytes` returns how much has been passed on so far.
 */
export async function untilSilent(source: Pick<PaneSource, "sync">, bytes: () => number): Promise<void> {
  let silent = 0;
  for (let round = 0; round < MAX_ROUNDS && silent < 2; round++) {
    const before = bytes();
    await source.sync();
    silent = bytes() === before ? silent + 1 : 0;
    if (silent === 1) await delay(SILENCE_MS);
  }
}

/** Calls a listener; its failure doesn't affect the others. */
export function notify(listener: PaneListener, act: () => void): void {
  try {
    act();
  } catch (error) {
    listener.failed(error);
  }
}
