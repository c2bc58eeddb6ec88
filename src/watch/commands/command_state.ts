// States of a command in a pane's shell, and the events that lead from one to the next.
import { AppError } from "../../errors.ts";

/** End of a command. `lost`: nobody knows how it ended. `cancelled`: it was never run. */
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
 *     └───────────────mark R──────────────▲                    │                 │   └──prompt is back──► asking
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
  /** `given`: the shell is given the text. `output`: mark C. */
  | { kind: "typed" | "ready" | "given" | "output" | "asked" | "unanswered" | "stopped" | "settled" }
  /** Mark D, its shell's answer, or the end of its stopped job. */
  | { kind: "done" | "answered" | "jobEnded"; exitCode?: number | undefined }
  | { kind: "paneEnded"; exitCode?: number | undefined }
  /** The pane can't be followed any more. */
  | { kind: "failed"; reason?: string | undefined }
  /** The command was not run; `failure` says why, unless the caller asked for that. */
  | { kind: "notRun"; failure?: AppError | undefined }
  /** The command ended under another server process. */
  | { kind: "restored"; outcome: CommandOutcome };

const UNSEEN = "Its shell had not reported that the command began, so it may not have run";
const UNRUN = "The pane ended before its shell was given the command, which was not run";
const PANE_ENDED = "Its pane or the tmux server has ended, and nothing reported an exit code";
/** Its shell does not have the text: nothing can have run. */
const NOT_GIVEN: readonly CommandState["name"][] = ["typing", "typed", "accepted"];
const BEFORE_OUTPUT = ["typing", "typed", "accepted", "starting"] as const;

/** The states in which an event counts, and where it leads; events that are not here count in every live state. */
const MOVES: { readonly [kind in CommandEvent["kind"]]?: readonly [readonly LiveState[], LiveState?] } = {
  typed: [["typing"], "typed"],
  // It can come before tmux has confirmed Enter.
  ready: [["typing", "typed"], "accepted"],
  given: [["accepted"], "starting"],
  output: [BEFORE_OUTPUT, "running"],
  asked: [["running"], "asking"],
  unanswered: [["asking"], "running"],
  stopped: [[...BEFORE_OUTPUT, "running", "asking"], "stopped"],
  done: [[...BEFORE_OUTPUT, "running"]],
  answered: [["asking"]],
  jobEnded: [["stopped"]],
};

/** The state after an event; the same object where the event does not count. */
export function next(state: CommandState, event: CommandEvent): CommandState {
  if (!isLive(state)) {
    return state.name === "ending" && event.kind === "settled" ? { ...state, name: "over" } : state;
  }
  const [from, to] = MOVES[event.kind] ?? [];
  if (from && !from.includes(state.name)) return state;
  if (to !== undefined) return { name: to };
  const outcome = NOT_GIVEN.includes(state.name) ? outcomeUnrun(event) : outcomeOf(event);
  if (!outcome) return state;
  const isUnseen = state.name === "starting" && outcome.status === "lost";
  const reason = [outcome.reason, UNSEEN].filter((each) => each !== undefined).join(". ");
  return { name: "ending", outcome: isUnseen ? { ...outcome, reason } : outcome };
}

function isLive(state: CommandState): state is { name: LiveState } {
  return state.name !== "ending" && state.name !== "over";
}

/** The outcome of a command that its shell was not given. */
function outcomeUnrun(event: CommandEvent): CommandOutcome | undefined {
  if (event.kind !== "paneEnded" && event.kind !== "failed") return outcomeOf(event);
  const isFailed = event.kind === "failed";
  const failure = new AppError("gone", isFailed && event.reason || UNRUN, { hint: "Call list-panes" });
  return { status: "cancelled", failure, paneAlive: isFailed };
}

function outcomeOf(event: CommandEvent): CommandOutcome | undefined {
  switch (event.kind) {
    case "done":
    case "answered":
    case "jobEnded":
      return { status: "completed", exitCode: event.exitCode, paneAlive: true };
    case "paneEnded": {
      const { exitCode } = event;
      if (exitCode === undefined) return { status: "lost", reason: PANE_ENDED, paneAlive: false };
      return { status: "completed", exitCode, paneAlive: false };
    }
    case "failed":
      return { status: "lost", reason: event.reason, paneAlive: true };
    case "notRun":
      return { status: "cancelled", failure: event.failure, paneAlive: true };
    case "restored":
      return event.outcome;
  }
}

/** The mark that a state waits for: how long (ms), and what the shell failed to do where it does not come. */
export interface MarkDeadline {
  readonly ms: number;
  readonly missed: string;
  /** The caller's time ends it sooner. */
  readonly isCallers?: true;
}

/** Time for the loader to report ready, and for a shell to answer (ms): much more than either needs. */
export const READY_MS = 5000;
/** Time for the text to be read; likewise (ms). */
const START: MarkDeadline = { ms: 20_000, missed: "did not start it" };

const DEADLINES: { readonly [name in CommandState["name"]]?: MarkDeadline } = {
  typed: { ms: READY_MS, missed: "did not take it", isCallers: true },
  accepted: START,
  starting: START,
};

/** The deadline of a state; undefined where no mark is due. A loader waits in vain past it, and takes Ctrl-C. */
export function markDeadline(name: CommandState["name"]): MarkDeadline | undefined {
  return DEADLINES[name];
}
