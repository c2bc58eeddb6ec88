// A call while it is decided: its facts, and the findings so far.
import type { Precondition } from "../tmux/preconditions.ts";
import type { Effect, Target } from "../tool.ts";
import type { Policy } from "./policy.ts";
import type { PolicyCall } from "./types.ts";

export interface DecisionContext {
  readonly call: PolicyCall;
  readonly policy: Policy;
  readonly effect: Effect;
  /** The verb of a denial: "kill", "type into". */
  readonly verb: string;
  readonly targets: readonly Target[];
  /** Findings so far, as preconditions of the call. */
  readonly preconditions: Precondition[];
  /** Advice to its caller. */
  readonly hints: string[];
}
