// Effects that each safety level allows.
import type { Effect } from "../tool.ts";
import type { Declaration, PolicyCall, PolicySettings } from "./types.ts";

type Safety = PolicySettings["safety"];

/** `owned`: only what this server made. */
export type Grant = "yes" | "owned" | "no";

const GRANTS: Readonly<Record<Safety, Readonly<Record<Effect, Grant>>>> = {
  readonly: { read: "yes", change: "no", input: "no", destroy: "no" },
  mutating: { read: "yes", change: "yes", input: "yes", destroy: "owned" },
  destructive: { read: "yes", change: "yes", input: "yes", destroy: "yes" },
};

const RANK: Readonly<Record<Effect, number>> = { read: 0, change: 1, input: 2, destroy: 3 };

/** Returns which objects a safety level lets a call of this effect act on. */
export function grantFor(safety: Safety, effect: Effect): Grant {
  return GRANTS[safety][effect];
}

/** The effect of a call, which its arguments can make graver than its tool's. */
export function effectOn({ effect, effectOf }: Declaration, args: PolicyCall["args"]): Effect {
  return graver(effect, effectOf?.(args) ?? "read");
}

/** The graver of two effects. */
function graver(one: Effect, other: Effect): Effect {
  return RANK[one] >= RANK[other] ? one : other;
}
