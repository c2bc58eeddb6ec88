// Determines the tools that a client sees, and the setting that hides each of the others.
import type { Tool } from "../tool.ts";
import { findClosingSetting } from "./switches.ts";
import { grantFor } from "./tiers.ts";
import type { PolicySettings } from "./types.ts";

/** Facts about a tool that determine if a client sees it. */
export type ToolFacts = Pick<Tool, "name" | "scope" | "groups" | "effect">;

/** Returns the setting that removes a tool for this client; undefined if the tool is visible. */
export function findRemoval(tool: ToolFacts, settings: PolicySettings): string | undefined {
  if (!isInScope(tool, settings.scope)) return `--scope ${settings.scope}`;
  if (grantFor(settings.safety, tool.effect) === "no") return `--safety ${settings.safety}`;
  return findClosingSetting(tool, settings);
}

function isInScope({ scope }: ToolFacts, wanted: PolicySettings["scope"]): boolean {
  return wanted === "all" || scope === "both" || (scope ?? "primitives") === wanted;
}
