// Every tool there is, in the order clients see them; a family is a file, and a page of the reference.
import type { Tool } from "../tool.ts";
import * as panes from "./panes.ts";
import { paneStateTool } from "./pane_state.ts";
import * as sessions from "./sessions.ts";
import { stopWatch, watchEvents, watchPane } from "./watch.ts";

export const families: Readonly<Record<string, readonly Tool[]>> = {
  sessions: Object.values(sessions),
  panes: Object.values(panes),
};

export const tools: readonly Tool[] = [
  watchPane,
  watchEvents,
  stopWatch,
  paneStateTool,
  ...[sessions, panes].flatMap((family) => Object.values(family)),
];
