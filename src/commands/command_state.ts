// States of a command in a pane's shell, and the events that lead from one to the next.
import { AppError } from "../errors.ts";

/** End of a command. `lost`: how it ended is unknown. `cancelled`: it was never run. */
export interface CommandOutcome {
  readonly status: "completed" | "lost" | "cancelled";
  /** Exit status as the shell reports it. */
  readonly exitCode?: number | undefined;
  /** False if the pane's own process ended with it. */
  readonly paneAlive: boolean;
  /** Why it is lost. */
  readonly reason?: string | undefined;
  /** The error that kept it from running. */
  readonly failure?: AppError | undefined;
}

/**
 * ```text
 *  typing ──typed──► typed ──mark R──► accepted ──given──► starting ──mark C──► running ◄────no answer─────┐
 *     └───────────────mark R──────────────▲                    │    or a gap     │   └──prompt is back──► asking
 *                                                              │                 │                          │
 *                                                           mark D         mark D or answer, job stopped  answer
 *                                                              │                 │   └────────► stopped     │
 *                                                              ▼                 ▼             │ job ended  │
 *  any of these ──failure, pane ended, not run──────────────► ending ◄─────────────────────────┴────────────┘
 *                                                              └──output is kept, pane is as before──► over
 * ```
 *
 * In `asking` its shell, which has forgotten mark D, is asked for the status; what the pane prints is held back then.
 * No state says that the program is waiting for input: a call that waits finds out by itself.
 */
export type CommandState =
  | { readonly name: LiveState }
  | { readonly name: "ending" | "over"; readonly outcome: CommandOutcome };

type LiveState = "typing" | "typed" | "accepted" | "starting" | "running" | "asking" | "stopped";

export type CommandEvent =
  /**
   * `given`: the shell is given the command text. `output`: mark C. `gap`: output was lost, perhaps with mark C, so that
   * the command may be running.
   */
  | { kind: "typed" | "ready" | "given" | "output" | "gap" | "asked" | "unanswered" | "stopped" | "settled" }
  /** Mark D, the shell's answer to the status question, or the end of its stopped job. */
  | { kind: "done" | "answered" | "jobEnded"; exitCode?: number | undefined }
  /** `printed`: output of the command has come, perhaps without mark C: from the screen of a dead pane. */
  | { kind: "paneEnded"; exitCode?: number; exitSignal?: string; printed?: boolean }
  /** The pane can't be followed any more. */
  | { kind: "failed"; reason?: string | undefined }
  /** The command was not run; `failure` says why, unless the caller asked for that. */
  | { kind: "notRun"; failure?: AppError | undefined }
  /** The command ended under another server process. */
  | { kind: "restored"; outcome: CommandOutcome };

const START_UNREPORTED = "Its shell never reported that the command began, so it may not have run";
const PANE_ENDED_UNRUN = "The pane ended before its shell received the command, which was not run";
const PANE_ENDED =
  "Its pane was closed or respawned, or the tmux server ended, before an exit code was known";
/** States in which the shell does not have the command text yet, so nothing can have run. */
export const NOT_GIVEN: readonly CommandState["name"][] = ["typing", "typed", "accepted"];
const BEFORE_OUTPUT = ["typing", "typed", "accepted", "starting"] as const;

/** For each event: the states in which it counts, and the state it leads to. Other events count in every live state. */
const MOVES: { readonly [kind in CommandEvent["kind"]]?: readonly [readonly LiveState[], LiveState?] } = {
  typed: [["typing"], "typed"],
  // Mark R can arrive before tmux has confirmed Enter.
  ready: [["typing", "typed"], "accepted"],
  given: [["accepted"], "starting"],
  output: [BEFORE_OUTPUT, "running"],
  gap: [["starting"], "running"],
  asked: [["running"], "asking"],
  unanswered: [["asking"], "running"],
  stopped: [[...BEFORE_OUTPUT, "running", "asking"], "stopped"],
  done: [[...BEFORE_OUTPUT, "running"]],
  answered: [["asking"]],
  jobEnded: [["stopped"]],
};

/** Returns the state after an event; the same object if the event does not count. */
export function next(state: CommandState, event: CommandEvent): CommandState {
  if (!isLive(state)) {
    return state.name === "ending" && event.kind === "settled" ? { ...state, name: "over" } : state;
  }
  const [from, to] = MOVES[event.kind] ?? [];
  if (from && !from.includes(state.name)) return state;
  if (to !== undefined) return { name: to };
  const outcome = NOT_GIVEN.includes(state.name) ? outcomeUnrun(event) : outcomeOf(event);
  if (!outcome) return state;
  const hasPrinted = event.kind === "paneEnded" && event.printed === true;
  const isUnseen = state.name === "starting" && outcome.status === "lost" && !hasPrinted;
  const reason = [outcome.reason, START_UNREPORTED].filter((each) => each !== undefined).join(". ");
  return { name: "ending", outcome: isUnseen ? { ...outcome, reason } : outcome };
}

function isLive(state: CommandState): state is { name: LiveState } {
  return state.name !== "ending" && state.name !== "over";
}

/** Outcome of a command whose text the shell was never given. */
function outcomeUnrun(event: CommandEvent): CommandOutcome | undefined {
  if (event.kind !== "paneEnded" && event.kind !== "failed") return outcomeOf(event);
  const isFailed = event.kind === "failed";
  const failure = new AppError("gone", isFailed && event.reason || PANE_ENDED_UNRUN, {
    hint: "Call list-panes",
  });
  return { status: "cancelled", failure, paneAlive: isFailed };
}

function outcomeOf(event: CommandEvent): CommandOutcome | undefined {
  switch (event.kind) {
    case "done":
    case "answered":
    case "jobEnded":
      return { status: "completed", exitCode: event.exitCode, paneAlive: true };
    case "paneEnded": {
      const { exitCode, exitSignal } = event;
      if (exitCode !== undefined) return { status: "completed", exitCode, paneAlive: false };
      // A shell gets SIGHUP when its pane or tmux itself ends.
      const isClosed = exitSignal === undefined || exitSignal === "SIGHUP";
      const reason = isClosed ? PANE_ENDED : `Its shell was ended by ${exitSignal}`;
      return { status: "lost", reason, paneAlive: false };
    }
    case "failed":
      return { status: "lost", reason: event.reason, paneAlive: true };
    case "notRun":
      return { status: "cancelled", failure: event.failure, paneAlive: true };
    case "restored":
      return event.outcome;
  }
}

/** Deadline (ms) of the mark that a state waits for, and what the shell failed to do if the mark does not come. */
export interface MarkDeadline {
  readonly ms: number;
  readonly missed: string;
  /** The caller's own timeout ends the wait sooner. */
  readonly isCallers?: true;
}

/** Time (ms) for the loader to report ready, and for a shell to answer: much more than either needs. */
export const READY_MS = 5000;
/** Time (ms) for the command text to be read: much more than it needs. */
const START: MarkDeadline = { ms: 20_000, missed: "did not start it" };

const DEADLINES: { readonly [name in CommandState["name"]]?: MarkDeadline } = {
  typed: { ms: READY_MS, missed: "did not take it", isCallers: true },
  accepted: START,
  starting: START,
};

/** Returns a state's deadline; undefined if no mark is due. A loader still waiting after it is ended with Ctrl-C. */
export function markDeadline(name: CommandState["name"]): MarkDeadline | undefined {
  return DEADLINES[name];
}
