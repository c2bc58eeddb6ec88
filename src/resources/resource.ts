// The one declaration that a resource is made of, and what its reader receives.
import { AppError } from "../errors.ts";
import type { Group, Target } from "../tool.ts";
import type { PaneInfo } from "../tmux/objects/panes.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { Commands } from "../watch/commands/commands.ts";

/** The type of a page that clients render beside a tool's answer (MCP Apps, 2026-01-26). */
export const APP_TYPE = "text/html;profile=mcp-app";

export interface ResourceContext {
  /** The tmux server that is read. */
  tmux: Tmux;
  commands: Commands;
}

/** The values of a URI's placeholders. */
export type ResourceArguments = Readonly<Record<string, string>>;

/** A resource as a listing shows it. */
export interface ResourceInstance {
  args: ResourceArguments;
  title: string;
  /** The object it stands for: one that is out of scope is left out. */
  id: string;
}

export interface Resource {
  /** As policy and the audit log call it. */
  name: string;
  title: string;
  description: string;
  /** `tmux://…` with a placeholder for each part that names something; a placeholder is one part of the path. */
  uri: string;
  mimeType: "application/json" | "text/plain" | "text/markdown" | typeof APP_TYPE;
  groups: readonly Group[];
  /** Source of changes: any object of the server, one pane, only its own command, or nothing. */
  changes: "objects" | "pane" | "command" | "nothing";
  targets(args: ResourceArguments): Target[];
  /** This server's own text: its URI takes no `socket` and no `host`. */
  isOwn?: true;
  /** Metadata of a page (an MCP App) for its host. Tools name it, listings do not. */
  page?: { prefersBorder: boolean };
  /** The text, or what the JSON is made of. */
  read(args: ResourceArguments, context: ResourceContext): Promise<unknown>;
  /** Lists the resources that exist; without it only the template is listed. */
  list?(panes: readonly PaneInfo[], commandIds: readonly string[]): ResourceInstance[];
}

/**
 * The number a part of a URI gives.
 * @throws {AppError} `invalid-argument`
 */
export function wholeNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new AppError("invalid-argument", `Invalid ${name} "${text}": expected a whole number`, {
    hint: `Give ${name} as digits, such as 5`,
  });
}
