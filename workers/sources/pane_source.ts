// Source of a pane's bytes: a control client of its session, or the pane's own pipe.
import type { ErrorCode } from "../../src/errors.ts";
import type { Command } from "../../src/tmux_exec/exec.ts";
import type { SpoolRef } from "../../src/watch/protocol.ts";
import type { SpoolFile } from "../../src/tmux/spool_pipe.ts";
import { delay } from "../../src/timer.ts";

export interface PaneLocation {
  paneId: string;
  sessionId: string;
  /** Read instead of a pipe of its own. */
  commandSpool?: SpoolRef;
}

/** tmux replies and the pane lives, but no client stays attached to its session. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

/** Callbacks for events of a pane. */
export interface PaneListener {
  output(bytes: Uint8Array): void;
  /** tmux dropped output because this reader was too slow; the loss ends where the next commands are run. */
  gap(): void;
  /** The pane has a new size; a source that can't be sure of it calls `changed` too. */
  sized(columns: number, rows: number): void;
  /** The pane, its process or the source may be gone; check them. */
  changed(): void;
  /** A callback above has failed; other listeners must not be affected. */
  failed(error: unknown): void;
}

/** Output of the last of several commands, or the reason why one failed. */
export interface CommandAnswer {
  failed: boolean;
  text: string;
  /** Everything that the commands printed, as `tmux` prints it. */
  printed: string;
  /** True if output from after the commands may precede this answer, or output from before them may follow it. */
  isLate?: boolean;
  /** Code of the failure if tmux can't be reached, and so has refused nothing. */
  code?: ErrorCode;
}

/** A spool file, and a callback that reports from which byte on it receives the pane's output. */
export interface PaneSpool extends SpoolFile {
  spooling(active: boolean): void;
}

/**
 * The classes for each way to read a pane:
 *
 * ```text
 * clients may attach              SharedControlClient
 *   and the pane floods           the same, beside a PipeBypass: PipePaneReader
 * no client may attach            UnattachedPaneSource: PipePaneReader
 *   and a command has its pipe    UnattachedPaneSource: SpoolReader
 * ```
 */
export interface PaneSource {
  /** True if it passes on what its panes print while they are in this session. */
  serves(sessionId: string): boolean;
  /** True if it has ended or is about to. */
  readonly closed: boolean;
  /** Starts to pass a pane's output to the listener; settles when nothing after that can be missed. */
  follow(paneId: string, listener: PaneListener): Promise<void>;
  /** Stops passing output on. When the last listener leaves, the source ends, after at most `lingerMs`. */
  leave(paneId: string, listener: PaneListener, lingerMs: number): Promise<void>;
  /** Runs commands in order; `onReply` gets the answer as close to its place in the pane's output as possible. */
  send(
    paneId: string,
    commands: readonly Command[],
    onReply?: (answer: CommandAnswer) => void,
  ): Promise<CommandAnswer>;
  /** The same for commands that only read: unless `isLate`, the answer is in its exact place. */
  read(paneId: string, commands: readonly Command[], onReply: (answer: CommandAnswer) => void): Promise<void>;
  /** Settles when what tmux has read of its panes so far has been passed on. */
  sync(): Promise<void>;
  /** Copies the pane's output to a spool as well, unless `endSpool` is called soon. */
  beginSpool?(paneId: string, spool: PaneSpool): void;
  /** Ends the spool: no later output belongs in it, and the pipe ends when its last listener leaves. */
  endSpool?(paneId: string): void;
  /** Passes a pipe that carries all of the pane's output to the next source; returns true if there was one. */
  passPipe?(paneId: string, next: PaneSource): boolean;
  /** Settles when tmux has nothing of the pane left to send, or keeps sending more. */
  settle(paneId: string): Promise<void>;
}

/** Maximum number of rounds: others may keep printing in the same session. */
const MAX_ROUNDS = 50;
const SILENCE_MS = 4;

/**
 * Waits for the final output of a program, which can still be on its way to tmux when the program is gone. tmux must
 * be silent twice, with a little time in between. `bytes` returns how much has been passed on so far.
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

/**
 * Time (ms) for which commands are run again if the pane prints while they run, and how often at least: where each
 * attempt took 100 ms of a busy machine, 500 ms were five attempts, and a watch repeated 40 lines.
 */
const PLACE_MS = 500;
const MIN_ATTEMPTS = 30;
/** Time (ms) after which the last answer counts in any case. */
const MAX_PLACE_MS = 2000;

/** Runs commands again, for a moment, while their answer is late. `again`: `take` gets another answer. */
export async function untilPlaced(
  run: (onReply: (answer: CommandAnswer) => void) => Promise<unknown>,
  take: (answer: CommandAnswer, again: boolean) => void,
): Promise<void> {
  const since = performance.now();
  let attempts = 0;
  for (let again = true; again;) {
    again = false;
    attempts++;
    await run((answer) => {
      const limitMs = attempts < MIN_ATTEMPTS ? MAX_PLACE_MS : PLACE_MS;
      again = answer.isLate === true && performance.now() - since < limitMs;
      take(answer, again);
    });
  }
}

/** Calls a listener; its failure does not affect the others. */
export function notify(listener: PaneListener, act: () => void): void {
  try {
    act();
  } catch (error) {
    listener.failed(error);
  }
}
