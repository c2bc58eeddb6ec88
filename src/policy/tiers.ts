// Effects that each safety level allows.
import type { Effect } from "../tool.ts";
import type { Declaration, PolicyCall, PolicySettings } from "./types.ts";

type Safety = PolicySettings["safety"];

/** `owned`: only objects that this server created. */
export type Grant = "yes" | "owned" | "no";

const GRANTS: Readonly<Record<Safety, Readonly<Record<Effect, Grant>>>> = {
  readonly: { read: "yes", change: "no", input: "no", destroy: "no" },
  mutating: { read: "yes", change: "yes", input: "yes", destroy: "owned" },
  destructive: { read: "yes", change: "yes", input: "yes", destroy: "yes" },
};

const RANK: Readonly<Record<Effect, number>> = { read: 0, change: 1, input: 2, destroy: 3 };

/** Returns the objects on which a safety level lets a call with this effect act. */
export function grantFor(safety: Safety, effect: Effect): Grant {
  return GRANTS[safety][effect];
}

/** The effect of a call; its arguments can make it more severe than its tool's. */
export function effectOn({ effect, effectOf }: Declaration, args: PolicyCall["args"]): Effect {
  const withArguments = effectOf?.(args) ?? "read";
  return RANK[effect] >= RANK[withArguments] ? effect : withArguments;
}
