// State of a decision: the facts about the call, and the results so far.
import type { Precondition } from "../tmux/preconditions.ts";
import type { Effect, Target } from "../tool.ts";
import type { Policy } from "./policy.ts";
import type { PolicyCall } from "./types.ts";

export interface DecisionContext {
  readonly call: PolicyCall;
  readonly policy: Policy;
  readonly effect: Effect;
  /** Verb for a denial: "kill", "type into". */
  readonly verb: string;
  readonly targets: readonly Target[];
  /** Facts found so far, as preconditions of the call. */
  readonly preconditions: Precondition[];
  /** Advice for the caller. */
  readonly hints: string[];
}
