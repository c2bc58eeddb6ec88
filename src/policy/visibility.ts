// Determines the tools that a client sees, and the setting that hides each of the others.
import type { Tool } from "../tool.ts";
import { findClosing } from "./groups.ts";
import { grantFor } from "./tiers.ts";
import type { PolicySettings } from "./types.ts";

/** Facts about a tool that determine if a client sees it. */
export interface ToolFacts extends Pick<Tool, "name" | "groups" | "effect"> {
  /** 1: tmux primitives, 2: agent workflows. */
  layer: 1 | 2;
  /** True if the default scope shows it. */
  agentic: boolean;
}

export function factsOf({ name, scope, groups, effect }: Tool): ToolFacts {
  return { name, layer: scope === "agentic" ? 2 : 1, agentic: scope !== undefined, groups, effect };
}

/** Returns the setting that removes a tool for this client; undefined if the tool is visible. */
export function findRemoval(tool: ToolFacts, settings: PolicySettings): string | undefined {
  if (!isInScope(tool, settings.scope)) return `--scope ${settings.scope}`;
  if (grantFor(settings.safety, tool.effect) === "no") return `--safety ${settings.safety}`;
  return findClosing(tool, settings);
}

function isInScope(tool: ToolFacts, scope: PolicySettings["scope"]): boolean {
  return { agentic: tool.agentic, primitives: tool.layer === 1, all: true }[scope];
}
