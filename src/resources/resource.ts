// The declaration of a resource, and the context of its reader.
import { AppError } from "../errors.ts";
import type { Group, Target, ToolContext, VisibleScope } from "../tool.ts";
import type { PaneInfo } from "../tmux/objects/panes.ts";
import type { Session } from "../tmux/objects/sessions.ts";
import type { Tmux } from "../tmux/tmux.ts";
import type { Commands } from "../commands/commands.ts";

/** Media type of a page that clients render with a tool's answer (MCP Apps, 2026-01-26). */
export const APP_TYPE = "text/html;profile=mcp-app";

export interface ResourceContext {
  tmux: Tmux;
  commands: Commands;
  sees: VisibleScope;
  /** As for tools, of a value that is sent as JSON text. */
  fit: ToolContext["fit"];
  /** Aborts when the read is cancelled. */
  signal: AbortSignal;
}

/** Values of a URI's placeholders. */
export type ResourceArguments = Readonly<Record<string, string>>;

/** An entry of a listing. */
export interface ResourceInstance {
  args: ResourceArguments;
  title: string;
  /** Id of its object; if that is out of scope, the entry is left out. */
  id: string;
}

/** Objects of a tmux server. */
export interface LiveObjects {
  sessions: readonly Session[];
  panes: readonly PaneInfo[];
  /** The newest first. */
  commandIds: readonly string[];
}

export interface Resource {
  /** Name for policy and the audit log. */
  name: string;
  title: string;
  description: string;
  /** `tmux://…` with placeholders; each placeholder is one segment of the path. */
  uri: string;
  mimeType: "application/json" | "text/plain" | "text/markdown" | typeof APP_TYPE;
  groups: readonly Group[];
  /** Source of changes: any object of the server, one pane, one command, or nothing. */
  changes: "objects" | "pane" | "command" | "nothing";
  targets(args: ResourceArguments): Target[];
  /** Set for this server's own texts, whose URI takes neither `socket` nor `host`. */
  isOwn?: true;
  /** Metadata of a page (an MCP App) for its host. Tools name such pages; listings don't. */
  page?: { prefersBorder: boolean };
  /** Returns the text, or the value to send as JSON. */
  read(args: ResourceArguments, context: ResourceContext): Promise<unknown>;
  /** Lists the existing resources; without it, only the template is listed. */
  list?(live: LiveObjects): ResourceInstance[];
}

/**
 * Reads a part of a URI as a whole number.
 * @throws {AppError} `invalid-argument`
 */
export function wholeNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new AppError("invalid-argument", `Invalid ${name} "${text}": expected a whole number`, {
    hint: `Give ${name} as digits, such as 5`,
  });
}
